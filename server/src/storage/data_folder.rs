//! The folder of one server: its database and traces, where they are nowhere else, and what it works on. A lock keeps a
//! second server out.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::private;

/// A file that only takes room.
const ROOM_FILE: &str = "room";
/// Its size: what a database writes for many deletions.
const ROOM_BYTES: usize = 4 << 20;

/// A folder of this server's own.
#[derive(Debug)]
pub struct DataFolder {
    root: PathBuf,
    /// Locked while the server runs; none in a folder that several share.
    lock: Option<File>,
}

/// Why a server's folder or store can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another server uses the folder.
    #[error(
        "{} is in use by another `syclscope serve`; stop that one or choose another folder with --data",
        .0.display()
    )]
    InUse(PathBuf),
    /// A file or folder in it can't be read or written.
    #[error("can't use {} as a data folder: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The store's address or settings are wrong.
    #[error("can't use {address} as a store: {reason}")]
    Store {
        /// The address.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl DataFolder {
    /// Opens or creates a folder, for this server alone.
    ///
    /// # Errors
    /// When another server uses it or it can't be written.
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        let failed = |path: PathBuf| move |error| OpenError::Io { path, error };
        private::create_folders(root).map_err(failed(root.to_owned()))?;
        let path = root.join("lock");
        // Without truncation, because the user may have a file of this name in the folder.
        let lock = private::open_lock(&path);
        let lock = lock.map_err(failed(path.clone()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { root: root.to_owned(), lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse(root.to_owned())),
            Err(TryLockError::Error(error)) => Err(failed(path)(error)),
        }
    }

    /// Opens or creates a folder that several servers share, whose rows are in a database elsewhere.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn shared(root: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io { path: root.to_owned(), error };
        private::create_folders(root).map_err(failed)?;
        Ok(Self { root: root.to_owned(), lock: None })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Keeps room on the disk for [`Self::give_room`], if there is some.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn keep_room(&self) -> io::Result<()> {
        let path = self.root.join(ROOM_FILE);
        if path.exists() {
            return Ok(());
        }
        let written = private::create_file(&path).and_then(|mut file| {
            file.write_all(&vec![0; ROOM_BYTES])?;
            file.sync_all()
        });
        written.inspect_err(|_| drop(fs::remove_file(&path)))
    }

    /// Gives up the room that it keeps, so that a full disk takes what makes more room: a deletion is a row first.
    pub(super) fn give_room(&self) {
        // Where there is none, nothing is lost.
        let _ = fs::remove_file(self.root.join(ROOM_FILE));
    }

    /// Whether others may work in it.
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
}
