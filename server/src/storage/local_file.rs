//! A file of this computer that nobody takes away while it is in use.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path of a file that stays where it is as long as this lives.
#[derive(Clone, Debug)]
pub struct LocalFile {
    path: PathBuf,
    /// Counts who uses a file that could be taken away.
    _in_use: Option<Arc<()>>,
}

impl LocalFile {
    /// A file that is where it belongs.
    pub fn in_place(path: PathBuf) -> Self {
        Self { path, _in_use: None }
    }

    /// A copy, which goes when nobody uses it and its room is wanted.
    pub(super) fn copy(path: PathBuf, in_use: Arc<()>) -> Self {
        Self { path, _in_use: Some(in_use) }
    }
}

impl Deref for LocalFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl AsRef<Path> for LocalFile {
    fn as_ref(&self) -> &Path {
        self
    }
}
