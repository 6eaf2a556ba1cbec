//! Permissions of written files: nobody can read a file who can't read the original, whatever the current umask allows.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use syclscope_system::private_files;

/// The permissions of an original, as bits of a file's mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode(u32);

impl Mode {
    /// Permissions of a file for its owner alone.
    pub(super) const PRIVATE: Self = Self(0o600);

    /// Reads the permissions of a file.
    ///
    /// # Errors
    ///
    /// If they can't be read.
    pub(super) fn of(original: &Path) -> io::Result<Self> {
        Ok(Self(fs::metadata(original)?.permissions().mode() & 0o666))
    }

    /// Makes an empty file; what an interrupted run left there goes.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn create(self, path: &Path) -> io::Result<File> {
        private_files::create_afresh(path, self.0)
    }

    /// Makes a folder, where it is missing, that those may enter who may read the original.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn create_folder(self, path: &Path) -> io::Result<()> {
        let enter = (self.0 & 0o444) >> 2;
        DirBuilder::new().mode(self.0 | enter).recursive(true).create(path)
    }
}
