//! Where the memory of buffers is.

use std::path::{Path, PathBuf};

use crate::os::memory::{self, Shared};

/// Where the memory of buffers is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In this process.
    Private,
    /// In files whose names begin so, which another process maps as well.
    Files(PathBuf),
}

impl Place {
    /// New words, all zero; nothing where there is no room for them.
    pub(super) fn make(&self, name: &str, words: usize) -> Option<Shared> {
        match self {
            Self::Private => memory::private(words),
            Self::Files(begin) => memory::create(&file(begin, name), words).ok(),
        }
    }

    /// The words that another process has made.
    pub(super) fn attach(&self, name: &str) -> Option<Shared> {
        match self {
            Self::Private => None,
            Self::Files(begin) => memory::attach(&file(begin, name)).ok(),
        }
    }
}

fn file(begin: &Path, name: &str) -> PathBuf {
    let mut file = begin.as_os_str().to_owned();
    file.push(name);
    PathBuf::from(file)
}
