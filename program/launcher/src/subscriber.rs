//! Unpacks the built-in subscriber, so that the SYCL runtime can load it.

use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::LaunchError;
use syclscope_system::private_files;

/// Writes `library` into the first of `folders` that is writable only for us and not mounted `noexec`, under a name
/// with a hash of its content, and returns the path. An existing file with that name and content is reused.
///
/// # Errors
/// Returns an error if there is no such folder.
pub(super) fn unpack(library: &[u8], folders: &[PathBuf]) -> Result<PathBuf, LaunchError> {
    let digest = Sha256::digest(library);
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let name = format!("subscriber-{hash}.so");
    let mut failures = Vec::new();
    for folder in folders {
        let path = folder.join(&name);
        // The list of subscribers is separated by commas.
        if path.as_os_str().as_encoded_bytes().contains(&b',') {
            failures.push((path, io::Error::other("a comma in the path would split XPTI_SUBSCRIBERS")));
            continue;
        }
        let checked = create(folder).and_then(|()| check(&folder.metadata()?));
        if let Err(error) = checked.and_then(|()| check_mount(folder)) {
            failures.push((path, error));
            continue;
        }
        if holds(&path, library) {
            return Ok(path);
        }
        match private_files::write(&path, 0o755, library) {
            Ok(()) => return Ok(path),
            Err(error) => failures.push((path, error)),
        }
    }
    Err(LaunchError::Unpack { failures })
}

/// Creates a folder and its missing parents for their owner alone: the usual umask of some systems (002) would let the
/// owner's group write to them.
fn create(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Rejects files that another user could change: a recorded program would run their code with its user's
/// privileges.
fn check(found: &Metadata) -> io::Result<()> {
    const OTHERS_MAY_WRITE: u32 = 0o022;
    let owner = found.uid();
    if owner != rustix::process::geteuid().as_raw() && owner != 0 {
        return Err(io::Error::other(format!("it belongs to another user ({owner})")));
    }
    if found.mode() & OTHERS_MAY_WRITE != 0 {
        return Err(io::Error::other("other users may write to it"));
    }
    Ok(())
}

/// Rejects folders from which the system loads no library.
fn check_mount(folder: &Path) -> io::Result<()> {
    if rustix::fs::statvfs(folder)?.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC) {
        return Err(io::Error::other("its file system is mounted with noexec"));
    }
    Ok(())
}

/// True if only we can write to a file and it has these contents.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let read = || {
        let mut file = fs::File::options().read(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
        check(&file.metadata()?)?;
        let mut present = Vec::with_capacity(bytes.len());
        file.read_to_end(&mut present)?;
        io::Result::Ok(present)
    };
    read().is_ok_and(|present| present == bytes)
}

/// Returns the folders to unpack to: the user's cache, then folders for temporary files.
pub(super) fn folders(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    cache.map(|folder| folder.join("syclscope")).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn unpacks_once_and_repairs_what_was_damaged() {
        let root = tempfile::tempdir().unwrap();
        let folders = [root.path().join("cache/syclscope")];
        let path = unpack(b"library", &folders).unwrap();
        let mode = fs::metadata(&folders[0]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "whatever the umask");
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(unpack(b"library", &folders).unwrap(), path);
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
        assert_ne!(unpack(b"another", &folders).unwrap(), path);
        fs::write(&path, "damaged").unwrap();
        assert_eq!(fs::read(unpack(b"library", &folders).unwrap()).unwrap(), b"library");
        assert_eq!(fs::read_dir(&folders[0]).unwrap().count(), 2, "no temporary file stays behind");
    }

    #[test]
    fn what_others_could_change_is_not_used() {
        let root = tempfile::tempdir().unwrap();
        let [open, own] = ["open", "own"].map(|name| root.path().join(name));
        let folders = [open.clone(), own.clone()];
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        let path = unpack(b"library", &folders).unwrap();
        assert!(path.starts_with(&own), "others may write to the first folder");
        let error = unpack(b"library", &folders[..1]).unwrap_err().to_string();
        assert!(error.contains("other users may write to it"), "{error}");

        // Another user could change these bytes, or the link.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(!holds(&path, b"library"));
        assert_eq!(unpack(b"library", &folders).unwrap(), path);
        assert!(holds(&path, b"library"), "written anew");
        let elsewhere = root.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(unpack(b"library", &folders).unwrap(), path);
        assert!(path.symlink_metadata().unwrap().is_file());
    }

    #[test]
    fn a_closed_or_unusable_cache_is_passed_over() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        let folders = [file.join("below-a-file"), root.path().join("a,b"), root.path().join("good")];
        assert!(unpack(b"library", &folders).unwrap().starts_with(root.path().join("good")));
        let error = unpack(b"library", &folders[..2]).unwrap_err().to_string();
        assert!(error.contains("below-a-file") && error.contains("comma"), "{error}");
    }
}
