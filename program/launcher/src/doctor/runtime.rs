//! Checks of the SYCL runtime: its version, its use by the program, and its tracing framework.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Check, probe};
use crate::framework::Framework;
use crate::linked::runtime_folders;
use crate::program::Program;
use crate::{LaunchError, RuntimeVariables};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runtime {
    pub(super) libsycl: PathBuf,
    /// The number in `libsycl.so.<number>`.
    pub(super) major: u32,
    /// The release's name, if known from its files.
    release: Option<String>,
}

/// The oldest and the newest runtime that we have tested.
const TESTED: (u32, u32) = (7, 9);

impl Runtime {
    fn in_folder(folder: &Path) -> Option<Self> {
        let names =
            fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let newest = names.filter_map(|name| Some((major_of(&name)?, name))).max()?;
        Some(Self { libsycl: folder.join(newest.1), major: newest.0, release: release_of(folder) })
    }

    pub(super) fn is_newer_than_tested(&self) -> bool {
        self.major > TESTED.1
    }

    fn describe(&self) -> String {
        let release = match (&self.release, self.major) {
            (Some(release), _) => release.clone(),
            (None, 6) => "2023".to_owned(),
            (None, 7) => "2024".to_owned(),
            (None, 8) => "2025".to_owned(),
            (None, 9) => "2026".to_owned(),
            (None, major) => format!("with libsycl.so.{major}"),
        };
        format!("oneAPI {release}, {}", self.libsycl.display())
    }
}

/// Returns `9` for `libsycl.so.9`; `None` for links and other libraries.
fn major_of(name: &str) -> Option<u32> {
    name.strip_prefix("libsycl.so.")?.parse().ok()
}

/// Returns the version of the package that a folder belongs to, from the package manager or the installer's
/// folders.
fn release_of(folder: &Path) -> Option<String> {
    let real = folder.canonicalize().ok()?;
    let packages = fs::read_dir(&real)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"));
    for python in packages {
        for entry in fs::read_dir(python.path().join("site-packages")).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(version) =
                name.strip_prefix("intel_sycl_rt-").and_then(|rest| rest.strip_suffix(".dist-info"))
            {
                return Some(version.to_owned());
            }
        }
    }
    let mut parts = real.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.by_ref().find(|part| part == "compiler")?;
    parts.next().filter(|version| version.starts_with(|letter: char| letter.is_ascii_digit()))
}

pub(super) fn missing(error: &LaunchError) -> Check {
    let LaunchError::NoFramework { places, missing } = error else {
        return Check::failed(
            "runtime",
            error.to_string(),
            "name the folder of the program's libsycl.so with --xptifw",
        );
    };
    let half = places.iter().find_map(|place| Runtime::in_folder(&place.path));
    let places: Vec<String> = places.iter().map(|place| place.path.display().to_string()).collect();
    let lacks = missing.as_ref().map_or_else(String::new, |library| {
        format!("the loader can't find {library}, which the program needs; ")
    });
    if let Some(runtime) = half {
        return Check::failed(
            "runtime",
            format!(
                "{lacks}found {} without libxptifw.so, its tracing part, which is in none of {}",
                runtime.libsycl.display(),
                places.join(", ")
            ),
            "install the package that contains it: intel-dpcpp-xptifw on Fedora, intel-sycl-rt from PyPI or conda, \
             intel-oneapi-compiler-dpcpp-cpp-runtime of Intel's packages; of the same version as the runtime. If it is elsewhere, name it: \
             --xptifw /path/to/libxptifw.so",
        );
    }
    Check::failed(
        "runtime",
        format!(
            "{lacks}can't find libxptifw.so, the tracing part of the SYCL runtime, in {}",
            places.join(", ")
        ),
        "activate the program's SYCL environment (`source setvars.sh`, or the Python environment that holds \
         intel-sycl-rt), or name the file: --xptifw /path/to/libxptifw.so",
    )
}

/// Checks that there is a runtime, and that the program uses the same one.
pub(super) fn checks(found: &Framework, program: Option<&Program>) -> (Vec<Check>, Option<Runtime>) {
    const NAME: &str = "runtime";
    let folder = found.path.parent().unwrap_or(Path::new("/"));
    let Some(runtime) = Runtime::in_folder(folder) else {
        let says = format!("no libsycl beside {} ({})", found.path.display(), found.origin);
        let remedy = "name the program's own runtime with --xptifw, or activate its SYCL environment";
        return (vec![Check::warning(NAME, says, remedy)], None);
    };
    let describe = format!("{} ({})", runtime.describe(), found.origin);
    let mut checks = vec![match runtime.major {
        major if major < TESTED.0 => Check::warning(
            NAME,
            describe,
            "syclscope is tested with 2024.2 and later; use a newer runtime if events are missing",
        ),
        _ if runtime.is_newer_than_tested() => Check::warning(
            NAME,
            describe,
            "syclscope is not tested with this newer version; new kinds of events are recorded generically",
        ),
        _ => Check::ok(NAME, describe),
    }];
    if let Some(program) = program {
        let linked = runtime_folders(&program.path);
        let same = |other: &PathBuf| other.canonicalize().ok() == folder.canonicalize().ok();
        if let Some(other) = linked.first().filter(|_| !linked.iter().any(same)) {
            checks.push(Check::failed(
                "linkage",
                format!("{} is linked to another runtime, in {}", program.path.display(), other.display()),
                format!("use that runtime: --xptifw {}", other.display()),
            ));
        }
    }
    (checks, Some(runtime))
}

/// Returns the variables without which the program, or the doctor's own, finds no device.
pub(super) fn runtime_variables(found: &Framework, program: &Path) -> Option<Check> {
    let runtime_variables = RuntimeVariables::find(&found.path, program, &|name| std::env::var_os(name));
    runtime_variables.note().map(|note| Check::ok("variables", note))
}

/// Checks that the framework loads and has the functions that the recorder calls.
pub(super) fn dispatcher(found: &Framework) -> Check {
    const NAME: &str = "dispatcher";
    match probe::try_loading(&found.path, probe::FRAMEWORK_SYMBOLS) {
        Ok(()) => Check::ok(NAME, format!("{} loads", found.path.display())),
        Err(why) => {
            let remedy = if why.contains("cannot open shared object file") {
                "the loader can't find a library that it depends on: activate the runtime's environment, or add the library's \
                 folder to LD_LIBRARY_PATH"
            } else {
                "name the program's own libxptifw.so with --xptifw; if it is already this one, reinstall the runtime"
            };
            Check::failed(NAME, format!("can't use {}: {why}", found.path.display()), remedy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_show_the_runtimes_release() {
        let root = tempfile::tempdir().unwrap();
        let packages = root.path().join("lib/python3.11/site-packages/intel_sycl_rt-2025.2.1.dist-info");
        fs::create_dir_all(&packages).unwrap();
        let folder = root.path().join("lib");
        assert_eq!(Runtime::in_folder(&folder), None);
        for name in ["libsycl.so", "libsycl.so.8", "libsycl.so.8.0.0", "libsycl-jit.so"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let runtime = Runtime::in_folder(&folder).unwrap();
        assert_eq!((runtime.major, runtime.release.as_deref()), (8, Some("2025.2.1")));
        assert_eq!(runtime.libsycl, folder.join("libsycl.so.8"));

        let installed = root.path().join("oneapi/compiler/2024.2/lib");
        fs::create_dir_all(&installed).unwrap();
        fs::write(installed.join("libsycl.so.7"), "").unwrap();
        assert_eq!(Runtime::in_folder(&installed).unwrap().release.as_deref(), Some("2024.2"));
    }
}
