//! Permissions of written files. Accounts that can't read the original can't read them either, whatever the
//! umask.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use syclscope_system::private_files;

/// Permissions of the original, as mode bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode(u32);

impl Mode {
    pub(super) const PRIVATE: Self = Self(0o600);

    /// Reads the permissions of a file, without those to execute it.
    pub(super) fn read(original: &Path) -> io::Result<Self> {
        Ok(Self(fs::metadata(original)?.permissions().mode() & 0o666))
    }

    /// Creates an empty file, replacing one that an interrupted run left.
    pub(super) fn create(self, path: &Path) -> io::Result<File> {
        private_files::create_afresh(path, self.0)
    }

    /// Creates a folder if it is missing, accessible to the accounts that may read the original.
    pub(super) fn create_folder(self, path: &Path) -> io::Result<()> {
        let enter = (self.0 & 0o444) >> 2;
        DirBuilder::new().mode(self.0 | enter).recursive(true).create(path)
    }
}
