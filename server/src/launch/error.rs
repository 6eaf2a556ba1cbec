//! Why a recording could not be started.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use super::Place;

/// Why a recording could not be started. The program has not run.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no such program.
    #[error("there is no program {}{}; nothing was run", name.display(), if *on_path {
        " in any folder of PATH (write ./NAME for one in this folder)"
    } else { "" })]
    ProgramNotFound {
        /// As the user wrote it.
        name: OsString,
        /// Whether it was searched for on `PATH`.
        on_path: bool,
    },
    /// The program can't be executed.
    #[error("{} can't be executed: {reason}; nothing was run", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// The operating system refused to start the program.
    #[error("{} could not be started: {error}{}", path.display(), start_hint(error))]
    Start {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No tracing framework was found.
    #[error("{}", no_framework(places))]
    NoFramework {
        /// Where it was searched for.
        places: Vec<Place>,
    },
    /// What the user named is not the framework.
    #[error(
        "--xptifw {}: this is neither a libxptifw.so nor a folder that holds one; nothing was run. \
         It is in the lib folder of the SYCL runtime, beside libsycl.so",
        path.display()
    )]
    NotAFramework {
        /// What the user named.
        path: PathBuf,
    },
    /// The binary was built without the subscriber.
    #[error(
        "this syclscope was built without its recorder; nothing was run. Build a full one with \
         `cargo xtask build`, or name a subscriber with --subscriber"
    )]
    NoSubscriber,
    /// The subscriber that the user named doesn't exist.
    #[error("--subscriber {}: there is no such file; nothing was run", path.display())]
    NoSuchSubscriber {
        /// What the user named.
        path: PathBuf,
    },
    /// The subscriber could not be unpacked.
    #[error("{}", no_unpack(failures))]
    Unpack {
        /// What was tried.
        failures: Vec<(PathBuf, io::Error)>,
    },
    /// The output exists already.
    #[error(
        "{} exists already and is kept; nothing was run. Choose another name with -o, or add --force to \
         replace it. (Where several are started at once, by mpirun for example, `-o FOLDER/` gives each a \
         file of its own.)", path.display()
    )]
    OutputExists {
        /// The file.
        path: PathBuf,
    },
    /// The output is a folder or a device.
    #[error("{} is not a file, so it can't be replaced; nothing was run. Choose another name with -o", path.display())]
    OutputNotAFile {
        /// What it is called.
        path: PathBuf,
    },
    /// The output can't be written.
    #[error("{} can't be written: {error}. Choose another place with -o", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The name of the output holds a place-holder that only the recorder can fill in.
    #[error(
        "{}: %p can't be used here, because the file is made before the program runs; nothing was run. With \
         `-o FOLDER/` every process gets a file of its own with its process id in the name", path.display()
    )]
    OutputPerProcess {
        /// As the user wrote it.
        path: PathBuf,
    },
    /// The folder for recordings can't be used.
    #[error("the folder {} can't be used: {error}; nothing was run. Choose another with -o", path.display())]
    Folder {
        /// As the user wrote it.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The working folder is gone.
    #[error("the working folder can't be used: {error}; nothing was run. Name the file to write with -o")]
    NoWorkingFolder {
        /// Why.
        error: io::Error,
    },
    /// No folder for temporary files.
    #[error(
        "no folder can be made in {}: {error}; nothing was run. Set TMPDIR to a folder that can be written to",
        folder.display()
    )]
    StatusFolder {
        /// Where.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
}

fn start_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => " (the interpreter or loader that the file names is missing)",
        _ => "",
    }
}

fn no_framework(places: &[Place]) -> String {
    let mut text = String::from(
        "libxptifw.so was not found; nothing was run. It is the part of the SYCL runtime that reports what a \
         program does, in the same folder as libsycl.so.\nLooked in:\n",
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
    let mut text = String::from("the recorder could not be unpacked; nothing was run.\n");
    for (path, error) in failures {
        let _ = writeln!(text, "  {}: {error}", path.display());
    }
    text.push_str("Set XDG_CACHE_HOME or TMPDIR to a folder that can be written to");
    text
}
