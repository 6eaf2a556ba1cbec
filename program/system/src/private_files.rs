//! Files and folders that only the server's account may open, whatever the umask: traces contain command
//! lines, paths and source text.
//!
//! Others may be able to write to a folder as well, and a link there may lead to a file that must stay
//! unchanged. So nothing is ever written through an existing name: a file is created under a new name, and
//! replaces another by a rename.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Creates a folder.
///
/// # Errors
/// Returns an error if the folder exists or can't be created.
pub fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(FOLDER_MODE).create(path)
}

/// Creates a folder and its missing parents. Also makes an existing folder private, since an older version
/// may have left it open to others.
///
/// # Errors
/// Returns an error if the folder can't be created or belongs to another user.
pub fn create_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(FOLDER_MODE).recursive(true).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE))
}

/// Creates an empty file for writing.
///
/// # Errors
/// Returns an error if the file exists or can't be created.
pub fn create_file(path: &Path) -> io::Result<File> {
    create_with(path, FILE_MODE)
}

/// Creates an empty file with the permissions that mode and umask allow.
///
/// # Errors
/// Returns an error if the file exists or can't be created.
pub fn create_with(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode).custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Creates an empty file, replacing one that an interrupted run left.
///
/// # Errors
/// Returns an error if the file can't be created.
pub fn create_afresh(path: &Path, mode: u32) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => create_with(path, mode),
    }
}

/// Atomically writes a file with these bytes, replacing an older one.
///
/// # Errors
/// Returns an error if the file can't be written; an older file is then unchanged.
pub fn write(path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}.new", std::process::id()));
    let draft = PathBuf::from(draft);
    let written = create_afresh(&draft, mode).and_then(|mut file| file.write_all(bytes));
    let placed = written.and_then(|()| fs::rename(&draft, path));
    if placed.is_err() {
        let _ = fs::remove_file(&draft);
    }
    placed
}

/// Opens a file to lock it, and creates it if it is missing. Its content stays.
///
/// # Errors
/// Returns an error if the path is a link, or the file can't be created.
pub fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(FILE_MODE).custom_flags(libc::O_NOFOLLOW).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    /// Things that another account may have planted in place of a file.
    const TRAPS: [fn(&Path, &Path); 5] = [
        |_, _| (),
        |victim, place| symlink(victim, place).unwrap(),
        |victim, place| fs::hard_link(victim, place).unwrap(),
        |_, place| symlink("nowhere", place).unwrap(),
        |_, place| fs::write(place, "another").unwrap(),
    ];

    #[test]
    fn nothing_is_written_through_a_name_whatever_lies_there() {
        for (number, trap) in TRAPS.iter().enumerate() {
            for draft_trap in TRAPS {
                let folder = tempfile::tempdir().unwrap();
                let (victim, place) = (folder.path().join("victim"), folder.path().join("place"));
                fs::write(&victim, "precious").unwrap();
                trap(&victim, &place);
                draft_trap(&victim, &folder.path().join(format!("place.{}.new", std::process::id())));
                assert_eq!(create_file(&place).is_ok(), number == 0, "trap {number}");
                for is_draft in [false, true] {
                    match is_draft {
                        true => write(&place, FILE_MODE, b"bytes").unwrap(),
                        false => create_afresh(&place, FILE_MODE).unwrap().write_all(b"bytes").unwrap(),
                    }
                    assert_eq!(fs::read(&victim).unwrap(), b"precious");
                    assert_eq!(fs::read(&place).unwrap(), b"bytes");
                    let found = place.symlink_metadata().unwrap();
                    assert!(found.is_file() && found.mode() & 0o777 == FILE_MODE && found.nlink() == 1);
                    fs::remove_file(&place).unwrap();
                    trap(&victim, &place);
                }
                assert!(!folder.path().join("nowhere").exists());
            }
        }
    }

    #[test]
    fn a_lock_is_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, place) = (folder.path().join("victim"), folder.path().join("lock"));
        fs::write(&victim, "precious").unwrap();
        open_lock(&victim).unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        symlink(&victim, &place).unwrap();
        assert!(open_lock(&place).is_err());
    }
}
