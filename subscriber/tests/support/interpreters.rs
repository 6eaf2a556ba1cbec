//! Interpreters of Python that are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints minor version and path of an interpreter if it is a supported build.
const WHICH: &str = "import sys, sysconfig; \
    v = sys.version_info; \
    print(v[1], sys.executable) if v[0] == 3 and 10 <= v[1] <= 14 and not sysconfig.get_config_var('Py_GIL_DISABLED') else None";

pub(crate) fn interpreters() -> Vec<(u32, PathBuf)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let managed = std::fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
    folders.extend(managed.map(|version| version.path().join("bin")));
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    let names = (10..=14).map(|minor| format!("python3.{minor}")).chain(["python3".to_owned()]);
    for file in
        names.flat_map(|name| folders.iter().map(move |folder| folder.join(&name)).collect::<Vec<_>>())
    {
        let Some((minor, file)) = version_of(&file) else { continue };
        if found.iter().all(|(known, _)| *known != minor) {
            found.push((minor, file));
        }
    }
    found
}

fn version_of(file: &Path) -> Option<(u32, PathBuf)> {
    let output = Command::new(file).args(["-c", WHICH]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (minor, executable) = text.trim().split_once(' ')?;
    Some((minor.parse().ok()?, executable.into()))
}
