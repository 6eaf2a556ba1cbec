//! Folder of a server: its database and traces, unless they are elsewhere, and its work files. A lock
//! excludes a second server.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use syclscope_system::private_files;

/// File of zeros that reserves disk space.
const ROOM_FILE: &str = "room";
/// Size of the reserve: enough for a database to record many deletions.
const ROOM_BYTES: usize = 4 << 20;

#[derive(Debug)]
pub struct DataFolder {
    root: PathBuf,
    /// Locked while the server runs; `None` in a shared folder.
    lock: Option<File>,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "{} is in use by another `syclscope serve`; stop that one or choose another folder with --data",
        .0.display()
    )]
    InUse(PathBuf),
    #[error("can't use {} as a data folder: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("can't use {address} as a store: {reason}")]
    Store { address: String, reason: String },
}

impl DataFolder {
    /// Opens or creates a folder for this server alone.
    ///
    /// # Errors
    /// Returns an error if another server uses the folder, or it can't be written.
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        let failed = |path: PathBuf| move |error| OpenError::Io { path, error };
        private_files::create_folders(root).map_err(failed(root.to_owned()))?;
        let path = root.join("lock");
        // Without truncation, because the user may have a file of this name in the folder.
        let lock = private_files::open_lock(&path);
        let lock = lock.map_err(failed(path.clone()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { root: root.to_owned(), lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse(root.to_owned())),
            Err(TryLockError::Error(error)) => Err(failed(path)(error)),
        }
    }

    /// Opens or creates a folder that several servers share, with a database elsewhere.
    ///
    /// # Errors
    /// Returns an error if the folder can't be written.
    pub fn shared(root: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io { path: root.to_owned(), error };
        private_files::create_folders(root).map_err(failed)?;
        Ok(Self { root: root.to_owned(), lock: None })
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Reserves disk space for [`Self::give_room`].
    pub(super) fn keep_room(&self) -> io::Result<()> {
        let path = self.root.join(ROOM_FILE);
        if path.exists() {
            return Ok(());
        }
        let written = private_files::create_file(&path).and_then(|mut file| {
            file.write_all(&vec![0; ROOM_BYTES])?;
            file.sync_all()
        });
        written.inspect_err(|_| drop(fs::remove_file(&path)))
    }

    /// Releases the reserved space, because even a deletion, which frees space on a full disk, first writes a
    /// row.
    pub(super) fn give_room(&self) {
        let path = self.root.join(ROOM_FILE);
        // The user may have a file of this name in the folder.
        let is_ours = |bytes: Vec<u8>| bytes.len() == ROOM_BYTES && bytes.iter().all(|byte| *byte == 0);
        if fs::read(&path).is_ok_and(is_ours) {
            // Without reserved space there is nothing to release.
            let _ = fs::remove_file(path);
        }
    }

    pub(super) fn is_shared(&self) -> bool {
        self.lock.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_server_is_kept_out() {
        let root = tempfile::tempdir().unwrap();
        let first = DataFolder::open(root.path()).unwrap();
        assert!(matches!(DataFolder::open(root.path()), Err(OpenError::InUse(_))));
        drop(first);
        DataFolder::open(root.path()).unwrap();
        assert!(DataFolder::shared(root.path()).unwrap().is_shared());
    }

    #[test]
    fn only_the_file_that_reserves_space_makes_way() {
        let (root, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = DataFolder::open(root.path()).unwrap();
        folder.keep_room().unwrap();
        assert!(root.path().join(ROOM_FILE).exists());
        folder.give_room();
        assert!(!root.path().join(ROOM_FILE).exists());
        // A file of the user.
        fs::write(others.path().join(ROOM_FILE), "chairs").unwrap();
        let folder = DataFolder::open(others.path()).unwrap();
        folder.keep_room().unwrap();
        folder.give_room();
        assert_eq!(fs::read_to_string(others.path().join(ROOM_FILE)).unwrap(), "chairs");
    }
}
