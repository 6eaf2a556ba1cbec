//! A local file that is not removed while in use.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Path of a file that stays in place as long as this value exists.
#[derive(Clone, Debug)]
pub struct LocalFile {
    path: PathBuf,
    /// Reference count of a removable file.
    _in_use: Option<Arc<()>>,
}

impl LocalFile {
    /// Returns the path of a file in its permanent place.
    pub fn in_place(path: PathBuf) -> Self {
        Self { path, _in_use: None }
    }

    /// Returns the path of a cached copy, which may be evicted once it is unused.
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
