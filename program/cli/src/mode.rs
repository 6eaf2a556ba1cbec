//! Permissions of written files: whoever can't read the original can't read them, whatever the umask.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use syclscope_system::private_files;

/// The permissions of an original, as bits of a file's mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode(u32);

impl Mode {
    pub(super) const PRIVATE: Self = Self(0o600);

    pub(super) fn of(original: &Path) -> io::Result<Self> {
        Ok(Self(fs::metadata(original)?.permissions().mode() & 0o666))
    }

    /// Makes an empty file in place of one that an interrupted run left.
    pub(super) fn create(self, path: &Path) -> io::Result<File> {
        private_files::create_afresh(path, self.0)
    }

    /// Makes a folder, where it is missing, for those who may read the original.
    pub(super) fn create_folder(self, path: &Path) -> io::Result<()> {
        let enter = (self.0 & 0o444) >> 2;
        DirBuilder::new().mode(self.0 | enter).recursive(true).create(path)
    }
}
