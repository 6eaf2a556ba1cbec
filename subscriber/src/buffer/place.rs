//! Location of the buffers' memory.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use crate::os::memory::{self, Shared};

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Private,
    /// In files that another process maps as well.
    Files(Files),
}

/// Common prefix of the names of a process's files.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) begin: PathBuf,
    /// The prefix on a disk, for records that don't fit in memory.
    pub(crate) spill: Option<PathBuf>,
}

/// Name of the file in a run's folder that contains the path of the folder on a disk.
pub(crate) const SPILL: &str = "spill";

/// Bytes of a disk that stay free.
const MIN_FREE_BYTES: u64 = 1 << 30;
/// Minimum size of a spilled file. If a large file doesn't fit, smaller ones are tried down to this size.
const MIN_SPILLED_WORDS: usize = 1 << 17;

impl Place {
    /// Returns the place of files with this prefix. Their folder's file [`SPILL`], if any, names the folder on a disk.
    pub(crate) fn beside(begin: PathBuf) -> Self {
        let spill = begin.parent().and_then(|folder| std::fs::read(folder.join(SPILL)).ok());
        let spill = spill.map(OsString::from_vec).zip(begin.file_name());
        let spill = spill.map(|(folder, name)| PathBuf::from(folder).join(name));
        Self::Files(Files { begin, spill })
    }

    pub(crate) fn in_memory(self) -> Self {
        match self {
            Self::Private => Self::Private,
            Self::Files(files) => Self::Files(Files { spill: None, ..files }),
        }
    }

    /// Creates zeroed words, on the disk if they don't fit in memory; `None` if they fit in neither.
    pub(super) fn make(&self, name: &str, words: usize) -> Option<Shared> {
        match self {
            Self::Private => memory::private(words),
            Self::Files(Files { begin, spill }) => {
                let made = memory::create(&file(begin, name), words).ok();
                made.or_else(|| on_disk(spill.as_deref()?, name, words))
            }
        }
    }

    /// Creates a head and words on the disk, fewer than requested if the disk lacks space. Returns `None` if even few
    /// don't fit.
    pub(super) fn spill(&self, name: &str, head: usize, mut words: usize) -> Option<Shared> {
        let Self::Files(Files { spill: Some(begin), .. }) = self else { return None };
        while words >= MIN_SPILLED_WORDS {
            if let Some(made) = on_disk(begin, name, head + words) {
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

/// Creates words on a disk unless that would leave less than [`MIN_FREE_BYTES`] free.
fn on_disk(begin: &Path, name: &str, words: usize) -> Option<Shared> {
    let room = memory::free_bytes(begin.parent()?)?.checked_sub(MIN_FREE_BYTES)?;
    if words as u64 * 8 > room {
        return None;
    }
    memory::create(&file(begin, name), words).ok()
}

fn file(begin: &Path, name: &str) -> PathBuf {
    let mut file = begin.as_os_str().to_owned();
    file.push(name);
    PathBuf::from(file)
}
