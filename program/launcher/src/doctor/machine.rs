//! Checks of folders, disks, limits and environment variables that a recording depends on.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::Check;
use crate::program::Program;
use crate::sys;
use syclscope_text::bytes;

/// A recording of a minute may need more free space than this.
const LITTLE_BYTES: u64 = 1 << 30;

/// Checks the folder for temporary files, through which recorder and launcher communicate.
pub(super) fn temporary_folder() -> Check {
    // The folder is writable, since the doctor has created its own folder in it.
    let folder = syclscope_system::temporary_folder();
    match sys::free_bytes(&folder) {
        Ok(0) => Check::failed(
            "temporary",
            format!("the disk of {} is full", folder.display()),
            "free some space, or set TMPDIR to a folder on another disk",
        ),
        _ => Check::ok("temporary", format!("{} is writable", folder.display())),
    }
}

pub(super) fn folder(folder: &Path) -> Check {
    const NAME: &str = "folder";
    let asked = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    // `record -o FOLDER/` creates missing folders.
    let is_made = folder.as_os_str().as_encoded_bytes().ends_with(b"/");
    let path = asked.ancestors().find(|path| !is_made || path.exists()).unwrap_or(&asked);
    let shown = path.display();
    let file = path.join(format!(".syclscope-doctor-{}", std::process::id()));
    let written = syclscope_system::private_files::create_file(&file);
    if let Err(error) = written.and_then(|_| fs::remove_file(&file)) {
        return Check::failed(NAME, format!("can't write to {shown}: {error}"), "choose another with -o");
    }
    match sys::free_bytes(path) {
        Ok(free) if free < LITTLE_BYTES => Check::warning(
            NAME,
            format!("{shown} is writable, but only {} are free", bytes(free)),
            "free some space, choose another folder with -o, or limit recordings with --max-size",
        ),
        Ok(free) => Check::ok(NAME, format!("{shown} is writable, {} free", bytes(free))),
        Err(_) => Check::ok(NAME, format!("{shown} is writable")),
    }
}

/// Warns of a limit on the size of files, which would truncate recordings.
pub(super) fn file_size() -> Option<Check> {
    let limit = sys::file_size_limit()?;
    Some(Check::warning(
        "file size",
        format!("files can't be larger than {} here (ulimit -f)", bytes(limit)),
        "raise the limit, or record with a --max-size below it",
    ))
}

/// Warns of variables that affect the recording.
pub(super) fn variables(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<Check> {
    let mut checks = Vec::new();
    if let Some(others) = variable("XPTI_SUBSCRIBERS").filter(|others| !others.is_empty()) {
        checks.push(Check::warning(
            "subscribers",
            format!("XPTI_SUBSCRIBERS names other tools, which run too: {}", others.display()),
            "unset the variable: each tool slows the program",
        ));
    }
    for name in ["SYCLSCOPE_STREAMS", "SYCLSCOPE_KERNELS", "SYCLSCOPE_DETAIL", "SYCLSCOPE_PAUSED"] {
        if let Some(value) = variable(name) {
            checks.push(Check::warning(
                "settings",
                format!("{name}={} changes every recording", value.display()),
                format!("unset {name} unless that is intended"),
            ));
        }
    }
    checks
}

/// Warns of a program with the setuid or setgid bit.
pub(super) fn program(program: &Program) -> Option<Check> {
    let mode = fs::metadata(&program.path).ok()?.permissions().mode();
    (mode & 0o6000 != 0).then(|| {
        Check::warning(
            "program",
            format!("{} changes its user or group when it starts", program.path.display()),
            "record a copy without the setuid and setgid bits: the system may withhold environment variables from this one",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn folders_are_tried() {
        let root = tempfile::tempdir().unwrap();
        assert_ne!(folder(root.path()).state, State::Failed);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        assert_ne!(folder(&root.path().join("made/by/record/")).state, State::Failed);
        let missing = folder(&root.path().join("missing"));
        assert_eq!(missing.state, State::Failed);
        assert!(missing.says.contains("missing") && missing.remedy.is_some());
    }

    #[test]
    fn variables_that_change_recordings_are_named() {
        assert_eq!(variables(&|_| None), []);
        let checks = variables(&|name| (name == "SYCLSCOPE_DETAIL").then(|| "low".into()));
        assert_eq!(checks.len(), 1);
        assert!(checks[0].says.contains("SYCLSCOPE_DETAIL=low"), "{checks:?}");
    }

    #[test]
    fn programs_with_other_rights_have_a_warning() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("program");
        fs::write(&path, "").unwrap();
        for (mode, is_warned) in [(0o755, false), (0o4755, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let of = program(&Program { name: "program".into(), path: path.clone() });
            assert_eq!(of.is_some(), is_warned, "{mode:o}");
        }
    }
}
