//! Finds the program to record, as a shell would.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::LaunchError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// As the user wrote it: the program's `argv[0]`.
    pub(super) name: OsString,
    pub(super) path: PathBuf,
}

/// Finds `name`: a path if it contains a slash, else the first executable file of that name on `search_path`.
///
/// # Errors
/// Returns an error if there is no such file or it can't be executed.
pub(super) fn find(name: &OsStr, search_path: Option<&OsStr>) -> Result<Program, LaunchError> {
    let found = |path: PathBuf| Program { name: name.to_owned(), path };
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => Err(LaunchError::NotExecutable { path, reason: "it is a folder" }),
            Ok(_) if is_executable(&path) => Ok(found(path)),
            Ok(_) => Err(LaunchError::NotExecutable { path, reason: "it is not executable (chmod +x)" }),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                Err(LaunchError::NotExecutable { path, reason: "you may not read one of its folders" })
            }
            Err(_) => Err(LaunchError::ProgramNotFound { name: name.to_owned(), on_path: false }),
        };
    }
    let mut unusable = None;
    for folder in search_path.into_iter().flat_map(std::env::split_paths) {
        let path = folder.join(name);
        if is_executable(&path) {
            return Ok(found(path));
        }
        if path.is_file() && unusable.is_none() {
            unusable = Some(path);
        }
    }
    Err(match unusable {
        Some(path) => LaunchError::NotExecutable { path, reason: "it is not executable (chmod +x)" },
        None => LaunchError::ProgramNotFound { name: name.to_owned(), on_path: true },
    })
}

/// Returns the interpreter in a script's first line, from `search_path` if the line uses `env`.
pub(super) fn interpreter(path: &Path, search_path: Option<&OsStr>) -> Option<PathBuf> {
    let line = first_line(path)?;
    let mut words = line.strip_prefix("#!")?.split_ascii_whitespace();
    let first = PathBuf::from(words.next()?);
    if first.file_name() != Some(OsStr::new("env")) {
        return Some(first);
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    find(OsStr::new(name), search_path).ok().map(|program| program.path)
}

/// Returns the first line of a file that begins with `#!`.
fn first_line(path: &Path) -> Option<String> {
    use std::io::Read as _;
    let mut start = Vec::new();
    fs::File::open(path).ok()?.take(512).read_to_end(&mut start).ok()?;
    if !start.starts_with(b"#!") {
        return None;
    }
    let line = start.split(|byte| *byte == b'\n').next()?;
    String::from_utf8(line.to_vec()).ok()
}

/// True if the file `path` has any execute permission. The kernel decides whether it applies to us.
pub(super) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(folder: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_first_executable_on_the_path_wins() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        script(first.path(), "tool", "", 0o644);
        let good = script(second.path(), "tool", "", 0o755);
        let path = std::env::join_paths([first.path(), second.path()]).unwrap();
        assert_eq!(find(OsStr::new("tool"), Some(&path)).unwrap().path, good);
        let only_first = Some(first.path().as_os_str());
        assert!(matches!(find(OsStr::new("tool"), only_first), Err(LaunchError::NotExecutable { .. })));
        assert!(matches!(
            find(OsStr::new("nothing"), only_first),
            Err(LaunchError::ProgramNotFound { on_path: true, .. })
        ));
        let folder = find(first.path().as_os_str(), None);
        assert!(matches!(folder, Err(LaunchError::NotExecutable { reason: "it is a folder", .. })));
    }

    #[test]
    fn interpreters_of_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let python = script(folder.path(), "python3", "", 0o755);
        let path = Some(folder.path().as_os_str());
        let of = |text: &str| interpreter(&script(folder.path(), "script", text, 0o755), path);
        assert_eq!(of("#!/usr/bin/python3\nprint()"), Some(PathBuf::from("/usr/bin/python3")));
        assert_eq!(of("#!/usr/bin/env python3\n"), Some(python.clone()));
        assert_eq!(of("#!/usr/bin/env -S X=1 python3 -u\n"), Some(python));
        assert_eq!(of("print()"), None);
        assert_eq!(of("#!"), None);
    }
}
