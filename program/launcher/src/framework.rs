//! Finds `libxptifw.so`, the tracing framework of the SYCL runtime that the program uses.
//!
//! A framework of another version than the runtime's may record nothing. So `XPTI_FRAMEWORK_DISPATCHER` is tried
//! first, then libraries that the program is linked with, then those that the environment names, then the usual
//! folders.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::LaunchError;
use super::linked::{self, runtime_folders};
use super::program::{self, Program};

const NAMES: &[&str] = &["libxptifw.so", "libxptifw.so.1"];

const USUAL: &[&str] = &[
    "/opt/intel/oneapi/compiler/latest/lib",
    "/opt/intel/oneapi/compiler/latest/linux/lib",
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];

/// A location that may have the framework, and the reason to look there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// A folder, or the file itself.
    pub path: PathBuf,
    pub origin: String,
}

pub(super) struct Clues<'a> {
    pub(super) explicit: Option<&'a Path>,
    pub(super) program: Option<&'a Program>,
    /// Its arguments: in `taskset -c 0 ./app`, the last one is the program that uses SYCL.
    pub(super) arguments: &'a [OsString],
    pub(super) variable: &'a dyn Fn(&str) -> Option<OsString>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Framework {
    pub(super) path: PathBuf,
    pub(super) origin: String,
}

/// Finds the framework.
///
/// # Errors
/// Returns an error that lists the locations if none has the framework.
pub(super) fn find(clues: &Clues<'_>) -> Result<Framework, LaunchError> {
    if let Some(path) = clues.explicit {
        let found = framework_at(path).map(|path| Framework { path, origin: "--xptifw".to_owned() });
        return found.ok_or_else(|| LaunchError::NotAFramework { path: path.to_owned() });
    }
    let places = places(clues);
    let found = places.iter().find_map(|place| {
        framework_at(&place.path).map(|path| Framework { path, origin: place.origin.clone() })
    });
    found.ok_or_else(|| LaunchError::NoFramework {
        places,
        missing: clues.program.and_then(|program| linked::missing_runtime(&program.path)),
    })
}

/// Returns the absolute path of the framework at or in `path`.
fn framework_at(path: &Path) -> Option<PathBuf> {
    let candidates = if path.is_dir() {
        NAMES.iter().map(|name| path.join(name)).collect()
    } else {
        vec![path.to_owned()]
    };
    candidates.into_iter().find(|file| is_library(file)).and_then(|file| std::path::absolute(file).ok())
}

/// True for ELF files. A text file of that name (a linker script) can't be loaded.
fn is_library(path: &Path) -> bool {
    let mut magic = [0; 4];
    path.is_file()
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
        && &magic == b"\x7fELF"
}

/// Returns every location to look in, the most reliable first, without duplicates.
fn places(clues: &Clues<'_>) -> Vec<Candidate> {
    let mut places = Candidates(Vec::new());
    let variable = |name: &str| (clues.variable)(name).filter(|value| !value.is_empty());
    let search_path = variable("PATH");
    let search_path = search_path.as_deref();

    if let Some(path) = variable("XPTI_FRAMEWORK_DISPATCHER") {
        places.add(path.into(), "XPTI_FRAMEWORK_DISPATCHER");
    }
    let programs = programs(clues, search_path);
    for path in &programs {
        for folder in runtime_folders(path) {
            places.add(folder, &format!("the SYCL runtime that {} is linked with", path.display()));
        }
    }
    for folder in variable("LD_LIBRARY_PATH").iter().flat_map(std::env::split_paths) {
        places.add(folder, "LD_LIBRARY_PATH");
    }
    for path in &programs {
        places.add_beside(path);
    }
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        if let Some(prefix) = variable(name) {
            places.add(Path::new(&prefix).join("lib"), name);
        }
    }
    if let Ok(python) = program::find(OsStr::new("python3"), search_path) {
        places.add_beside(&python.path);
    }
    if let Some(root) = variable("CMPLR_ROOT") {
        places.add(Path::new(&root).join("lib"), "CMPLR_ROOT");
    }
    if let Some(root) = variable("ONEAPI_ROOT") {
        places.add(Path::new(&root).join("compiler/latest/lib"), "ONEAPI_ROOT");
    }
    for folder in USUAL {
        places.add(folder.into(), "a usual location");
    }
    places.0
}

/// Returns the program, its interpreter if it is a script, and programs among its arguments with their
/// interpreters.
fn programs(clues: &Clues<'_>, search_path: Option<&OsStr>) -> Vec<PathBuf> {
    let arguments = clues.arguments.iter().filter_map(|argument| {
        let is_name = !argument.is_empty() && !argument.as_encoded_bytes().starts_with(b"-");
        is_name.then(|| program::find(argument, search_path).ok()).flatten().map(|program| program.path)
    });
    let mut programs = Vec::new();
    for path in clues.program.map(|program| program.path.clone()).into_iter().chain(arguments) {
        let interpreter = program::interpreter(&path, search_path);
        programs.push(path);
        programs.extend(interpreter);
    }
    programs
}

struct Candidates(Vec<Candidate>);

impl Candidates {
    fn add(&mut self, path: PathBuf, origin: &str) {
        // The dynamic loader takes a relative folder from the working folder.
        let Ok(path) = std::path::absolute(path) else { return };
        if !self.0.iter().any(|place| place.path == path) {
            self.0.push(Candidate { path, origin: origin.to_owned() });
        }
    }

    /// Adds the program's folder, and the `lib` folder of the installation whose `bin` folder that is, both
    /// with and without following links: the Python of a virtual environment is a link to the system's.
    fn add_beside(&mut self, program: &Path) {
        let origin = format!("beside {}", program.display());
        let real = program.canonicalize().ok();
        for path in std::path::absolute(program).ok().into_iter().chain(real) {
            if let Some(folder) = path.parent() {
                if let Some(prefix) = folder.parent() {
                    self.add(prefix.join("lib"), &origin);
                }
                self.add(folder.to_owned(), &origin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    const ELF: &[u8] = b"\x7fELF, more or less";

    fn clues<'a>(program: &'a Program, variable: &'a dyn Fn(&str) -> Option<OsString>) -> Clues<'a> {
        Clues { explicit: None, program: Some(program), arguments: &[], variable }
    }

    fn executable(path: &Path, text: &str) -> Program {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        Program { name: path.into(), path: path.into() }
    }

    #[test]
    fn a_virtual_environment_is_found_by_its_python() {
        let root = tempfile::tempdir().unwrap();
        let real = executable(&root.path().join("system/bin/python3"), "");
        let python = root.path().join("venv/bin/python3");
        fs::create_dir_all(python.parent().unwrap()).unwrap();
        symlink(real.path, &python).unwrap();
        let library = root.path().join("venv/lib/libxptifw.so");
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        fs::write(&library, ELF).unwrap();
        let nothing = |_: &str| None;

        let program = Program { name: "python3".into(), path: python.clone() };
        assert_eq!(find(&clues(&program, &nothing)).unwrap().path, library);
        let text = format!("#!{}\nimport dpnp\n", python.display());
        let script = executable(&root.path().join("scripts/run.py"), &text);
        assert_eq!(find(&clues(&script, &nothing)).unwrap().path, library);
        let wrapper = executable(&root.path().join("tools/taskset"), "");
        let arguments = ["-c".into(), "0".into(), python.into_os_string()];
        let through = Clues { arguments: &arguments, ..clues(&wrapper, &nothing) };
        assert_eq!(find(&through).unwrap().path, library);
    }

    #[test]
    fn the_environment_is_asked_and_unusable_files_are_passed_over() {
        let root = tempfile::tempdir().unwrap();
        let (script, good) = (root.path().join("a"), root.path().join("b"));
        for (folder, bytes) in [(&script, &b"GROUP ( libxptifw.so.1 )"[..]), (&good, ELF)] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("libxptifw.so"), bytes).unwrap();
        }
        let program = executable(&root.path().join("bin/app"), "");
        let both = std::env::join_paths([&script, &good]).unwrap();
        let variable = |name: &str| (name == "LD_LIBRARY_PATH").then(|| both.clone());
        assert_eq!(find(&clues(&program, &variable)).unwrap().path, good.join("libxptifw.so"));
    }

    #[test]
    fn a_folder_may_be_relative_to_the_working_folder() {
        let root = tempfile::tempdir().unwrap();
        let library = root.path().join("libxptifw.so");
        fs::write(&library, ELF).unwrap();
        let program = executable(&root.path().join("bin/app"), "");
        let up: PathBuf = std::env::current_dir().unwrap().components().skip(1).map(|_| "..").collect();
        let relative = up.join(root.path().strip_prefix("/").unwrap());
        let variable = |name: &str| (name == "LD_LIBRARY_PATH").then(|| relative.clone().into_os_string());
        let found = find(&clues(&program, &variable)).unwrap().path;
        assert!(found.is_absolute() && found.canonicalize().unwrap() == library.canonicalize().unwrap());
    }

    #[test]
    fn an_explicit_choice_is_taken_or_refused() {
        let root = tempfile::tempdir().unwrap();
        let program = executable(&root.path().join("bin/app"), "");
        let nothing = |_: &str| None;
        let with = |path: &Path| find(&Clues { explicit: Some(path), ..clues(&program, &nothing) });
        assert!(matches!(with(root.path()), Err(LaunchError::NotAFramework { .. })));
        fs::write(root.path().join("libxptifw.so.1"), ELF).unwrap();
        assert_eq!(with(root.path()).unwrap().path, root.path().join("libxptifw.so.1"));
        assert!(matches!(with(&program.path), Err(LaunchError::NotAFramework { .. })));
    }
}
