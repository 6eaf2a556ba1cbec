//! Place of the memory of buffers.

use std::path::{Path, PathBuf};

use crate::os::memory::{self, Shared};

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Private,
    /// In files, which another process maps as well.
    Files(Files),
}

/// Common beginning of the names of a process' files.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) begin: PathBuf,
    /// The same on a disk, for records that memory has no room for.
    pub(crate) spill: Option<PathBuf>,
}

/// The file in a run's folder that says where there is a disk to spill to.
pub(crate) const SPILL: &str = "spill";

/// Bytes of a disk that stay free.
const LEFT_FREE_BYTES: u64 = 1 << 30;
/// Where there is no room for a large file, there may be for a smaller one; with less than this nothing is gained.
const LEAST_SPILLED: usize = 1 << 17;

impl Place {
    /// Files whose names begin so, and those on the disk that is named beside them.
    pub(crate) fn beside(begin: PathBuf) -> Self {
        let spill = begin.parent().and_then(|folder| std::fs::read_to_string(folder.join(SPILL)).ok());
        let spill = spill.zip(begin.file_name()).map(|(folder, name)| PathBuf::from(folder).join(name));
        Self::Files(Files { begin, spill })
    }

    pub(crate) fn in_memory(self) -> Self {
        match self {
            Self::Private => Self::Private,
            Self::Files(files) => Self::Files(Files { spill: None, ..files }),
        }
    }

    /// Makes zeroed words; `None` without room for them.
    pub(super) fn make(&self, name: &str, words: usize) -> Option<Shared> {
        match self {
            Self::Private => memory::private(words),
            Self::Files(files) => memory::create(&file(&files.begin, name), words).ok(),
        }
    }

    /// Makes words on the disk behind a head; fewer than requested where the disk lacks room, `None` where it has
    /// none.
    pub(super) fn spill(&self, name: &str, head: usize, mut words: usize) -> Option<Shared> {
        let Self::Files(Files { spill: Some(begin), .. }) = self else { return None };
        let room = memory::free_bytes(begin.parent()?)?.checked_sub(LEFT_FREE_BYTES)?;
        while words >= LEAST_SPILLED {
            if ((head + words) as u64) * 8 <= room
                && let Ok(made) = memory::create(&file(begin, name), head + words)
            {
                return Some(made);
            }
            words /= 4;
        }
        None
    }

    pub(super) fn can_spill(&self) -> bool {
        matches!(self, Self::Files(Files { spill: Some(_), .. }))
    }

    pub(super) fn attach(&self, name: &str) -> Option<Shared> {
        let Self::Files(Files { begin, spill }) = self else { return None };
        let places = std::iter::once(begin).chain(spill);
        places.filter_map(|begin| memory::attach(&file(begin, name)).ok()).next()
    }
}

fn file(begin: &Path, name: &str) -> PathBuf {
    let mut file = begin.as_os_str().to_owned();
    file.push(name);
    PathBuf::from(file)
}
