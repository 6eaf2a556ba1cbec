//! Errors before a recording starts.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use super::Candidate;

/// Error before the program started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("no program {}{}; nothing ran", name.display(), if *on_path {
        " in any folder of PATH (write ./NAME for one in this folder)"
    } else { "" })]
    ProgramNotFound { name: OsString, on_path: bool },
    #[error("can't execute {}: {reason}; nothing ran", path.display())]
    NotExecutable { path: PathBuf, reason: &'static str },
    #[error("can't start {}: {error}{}", path.display(), start_hint(error))]
    Start { path: PathBuf, error: io::Error },
    #[error("{}", no_framework(places, missing.as_deref()))]
    NoFramework {
        places: Vec<Candidate>,
        /// The program's SYCL library, if the loader can't find it.
        missing: Option<String>,
    },
    #[error(
        "--xptifw {}: neither a libxptifw.so nor a folder that contains one; nothing ran. \
         Look in the lib folder of the SYCL runtime, beside libsycl.so",
        path.display()
    )]
    NotAFramework { path: PathBuf },
    #[error(
        "this syclscope was built without its recorder; nothing ran. Build a full one with \
         `cargo xtask build`, or name a subscriber with --subscriber"
    )]
    NoSubscriber,
    #[error("--subscriber {}: no such file; nothing ran", path.display())]
    NoSuchSubscriber { path: PathBuf },
    #[error("{}", no_unpack(failures))]
    Unpack { failures: Vec<(PathBuf, io::Error)> },
    #[error(
        "{} exists; nothing ran. Choose another name with -o, or add --force to \
         replace it. (When mpirun or the like starts several, `-o FOLDER/` gives each its own \
         file.)", path.display()
    )]
    OutputExists { path: PathBuf },
    #[error("{} is not a file, so syclscope can't replace it; nothing ran. Choose another name with -o", path.display())]
    OutputNotAFile { path: PathBuf },
    #[error("can't write {}: {error}. Choose another place with -o", path.display())]
    Output { path: PathBuf, error: io::Error },
    #[error(
        "{}: %p does not work here, because syclscope creates the file before the program runs; nothing ran. With \
         `-o FOLDER/` every process gets its own file, with its process id in the name", path.display()
    )]
    OutputPerProcess { path: PathBuf },
    #[error("can't use the folder {}: {error}; nothing ran. Choose another with -o", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("can't use the working folder: {error}; nothing ran. Name the file to write with -o")]
    NoWorkingFolder { error: io::Error },
    #[error(
        "can't create a folder in {}: {error}; nothing ran. Set TMPDIR to a writable folder",
        folder.display()
    )]
    StatusFolder { folder: PathBuf, error: io::Error },
}

fn start_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => " (the interpreter or loader named in the file is missing)",
        _ => "",
    }
}

fn no_framework(places: &[Candidate], missing: Option<&str>) -> String {
    let mut text = missing.map_or_else(String::new, |library| {
        format!(
            "the loader can't find {library}, which the program needs; add its folder to LD_LIBRARY_PATH.\n"
        )
    });
    text.push_str(
        "libxptifw.so not found; nothing ran. This part of the SYCL runtime reports what a program does. It \
         is in the same folder as libsycl.so.\nLooked in:\n",
    );
    for place in places {
        let _ = writeln!(text, "  {} ({})", place.path.display(), place.origin);
    }
    text.push_str(
        "Activate the program's SYCL environment (`source setvars.sh`, or the Python environment that holds \
         intel-sycl-rt), or name the file: --xptifw /path/to/libxptifw.so",
    );
    text
}

fn no_unpack(failures: &[(PathBuf, io::Error)]) -> String {
    let mut text = String::from("can't unpack the recorder; nothing ran.\n");
    for (path, error) in failures {
        let _ = writeln!(text, "  {}: {error}", path.display());
    }
    text.push_str("Set XDG_CACHE_HOME or TMPDIR to a writable folder that is not mounted with noexec");
    text
}
