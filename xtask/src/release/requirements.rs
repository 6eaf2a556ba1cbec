//! Requirements of program and recorder: libraries, and the newest version of the C library; and the symbols that the
//! recorder exports into its host programs.

use serde_json::Value;

use super::Release;
use crate::artefacts::paths::Paths;
use crate::artefacts::released::{Build, GLIBC};
use crate::prelude::*;

/// Symbols of the recorder for XPTI and the launcher. Any other export would replace a function of the same name in the
/// recorded program.
const EXPORTED: [&str; 4] = ["syclscope_counters", "syclscope_drain", "xptiTraceFinish", "xptiTraceInit"];

const MAX_BYTES: u64 = 22_000_000;

#[derive(Debug, PartialEq)]
pub(super) struct Requirements {
    pub(super) glibc: (u64, u64),
    pub(super) libraries: Vec<String>,
}

impl Requirements {
    /// Reads the files with `python/wheel.py`.
    pub(super) fn new(workspace: &Workspace, build: &Build) -> Result<Self> {
        let mut command = Command::new("python3");
        command.current_dir(workspace.root.join("python"));
        command.args(["-c", "import json, sys; from pathlib import Path; import wheel; print(json.dumps([wheel.needs(Path(file)) for file in sys.argv[1:]]))"]);
        let text = process::answer(command.arg(&build.program).arg(&build.subscriber))?;
        Self::read(&process::json(&text)?).ok_or_else(|| Failure::new(format!("{text} names no libraries")))
    }

    fn read(files: &Value) -> Option<Self> {
        let mut requirements = Self { glibc: (0, 0), libraries: Vec::new() };
        for file in files.as_array()? {
            let (libraries, version) = (file[0].as_array()?, &file[1]);
            requirements.libraries.extend(libraries.iter().filter_map(Value::as_str).map(str::to_owned));
            requirements.glibc = requirements.glibc.max((version[0].as_u64()?, version[1].as_u64()?));
        }
        requirements.libraries.sort();
        requirements.libraries.dedup();
        Some(requirements)
    }
}

/// Rejects a release that is too large, that an older system could not load, whose recorder exports other symbols, or
/// that contains this machine's folders.
pub(super) fn check(release: &Release<'_>, page: &Path) -> Result<()> {
    for build in release.builds() {
        check_of(release.workspace, build)?;
    }
    check_paths(release.workspace, page)
}

fn check_of(workspace: &Workspace, build: &Build) -> Result<()> {
    let bytes = files::len(&build.program)?;
    if bytes > MAX_BYTES {
        let text = format!("{} has {bytes} bytes, more than {MAX_BYTES}", build.program.display());
        return Err(Failure::new(text)
            .with_remedy("find the largest functions with `nm --size-sort` of a build with symbols"));
    }
    let (major, minor) = Requirements::new(workspace, build)?.glibc;
    if (major, minor) > GLIBC {
        let text =
            format!("program or recorder needs glibc {major}.{minor}, later than {}.{}", GLIBC.0, GLIBC.1);
        return Err(Failure::new(text).with_remedy("find the functions of that version with `nm --dynamic`"));
    }
    let defined = symbols(&build.subscriber, "--defined-only")?;
    let mut exported: Vec<&str> = defined.lines().filter_map(|line| line.split(' ').next()).collect();
    exported.sort_unstable();
    if exported != EXPORTED {
        return Err(Failure::new(format!("the recorder exports {}", exported.join(", "))));
    }
    for file in [&build.program, &build.subscriber] {
        let undefined = symbols(file, "--undefined-only")?;
        let lost = missing(&undefined);
        if !lost.is_empty() {
            let text =
                format!("{} uses {}, which none of its libraries defines", file.display(), lost.join(", "));
            return Err(
                Failure::new(text).with_remedy("call the kernel directly, or a function of older libraries")
            );
        }
        check_paths(workspace, file)?;
    }
    Ok(())
}

/// Returns the symbols of a file, a line for each name with its kind.
fn symbols(file: &Path, which: &str) -> Result<String> {
    process::answer(Command::new("nm").args(["--dynamic", which, "--format=posix"]).arg(file))
}

/// Returns the undefined functions without a library version. The linker accepts them in a shared library, but an older
/// system does not load it.
fn missing(undefined: &str) -> Vec<&str> {
    let names = undefined.lines().filter_map(|line| line.split_once(" U").map(|(name, _)| name));
    names.filter(|name| !name.contains('@')).collect()
}

/// Rejects a file, or a file in a folder, that contains a folder of this machine.
pub(crate) fn check_paths(workspace: &Workspace, made: &Path) -> Result<()> {
    let paths = Paths::new(workspace)?;
    for file in files::below(made)? {
        if let Some(found) = paths.find_in(&files::bytes(&file)?) {
            let file = file.display();
            return Err(Failure::new(format!(
                "{file} contains the path of a folder on this machine: {found}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_files_count() {
        let files = json!([[["libc.so.6", "libdl.so.2"], [2, 17]], [["libc.so.6"], [2, 28]]]);
        let libraries = ["libc.so.6", "libdl.so.2"].map(str::to_owned).to_vec();
        assert_eq!(Requirements::read(&files), Some(Requirements { glibc: (2, 28), libraries }));
        assert_eq!(Requirements::read(&json!([[1]])), None);
    }

    #[test]
    fn what_no_library_gives_is_found() {
        let undefined = "gettid U         \nread@GLIBC_2.2.5 U         \nstatx w         \n";
        assert_eq!(missing(undefined), ["gettid"]);
    }
}
