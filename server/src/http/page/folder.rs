//! The page from a folder instead of the binary, for development: every request reads its file again, so that
//! a rebuilt page needs no restart.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{INDEX, PageFile, index_below, policy};

#[derive(Clone, Debug)]
pub struct PageFolder {
    path: PathBuf,
}

#[derive(Debug, thiserror::Error)]
#[error("can't read {}: {error}. --page must name a folder with a built page", path.display())]
pub struct NoIndex {
    pub path: PathBuf,
    pub error: std::io::Error,
}

impl PageFolder {
    pub(super) fn at(folder: &Path) -> Result<Self, NoIndex> {
        let path = folder.join(INDEX);
        match fs::read(&path) {
            Ok(_) => Ok(Self { path: folder.to_owned() }),
            Err(error) => Err(NoIndex { path, error }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn index(&self, depth: usize) -> Option<PageFile> {
        let index = self.file(INDEX)?;
        Some(if depth == 0 { index } else { without_cache(index_below(&index.bytes(), depth)) })
    }

    pub(super) fn file(&self, path: &str) -> Option<PageFile> {
        let is_below = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let bytes = fs::read(self.path.join(path)).ok().filter(|_| is_below)?;
        Some(without_cache(PageFile::new(path, bytes.into(), None)))
    }

    /// Returns the policy for the current `index.html`, whose inline scripts may change with a rebuild.
    pub(super) fn policy(&self) -> String {
        let index = fs::read(self.path.join(INDEX)).unwrap_or_default();
        policy::content_security_policy(&String::from_utf8_lossy(&index))
    }
}

/// Disables caching, because a rebuilt file may keep its name, even one with a hash in it.
fn without_cache(file: PageFile) -> PageFile {
    PageFile { caching: "no-store", ..file }
}
