//! Loads a stored trace: from its derived file, or else by an import, which writes the derived file.
//!
//! All of it runs on blocking threads, which may also wait for the storage to fetch files.

use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use syclscope_engine::budget::Budget;
use syclscope_engine::store::Trace;
use syclscope_engine::tables::derived::{self, SharedBytes};
use tokio::runtime::Handle;

use crate::ingest::trace_cache::{LoadError, Ready};
use crate::storage::{Hosted, LocalFile, Mapped, Storage, StorageError, Stored, Upload, derived_file};
use syclscope_system::{private_files, trace_file};

/// An uploaded or opened file, and the location of its derived file.
#[derive(Clone, Debug)]
pub(crate) enum Original {
    /// The user's own file; no derived file is written.
    Own(PathBuf),
    /// The file of an upload, which will be stored with the other files of its folder.
    Uploaded(PathBuf),
    Hosted(Hosted, Stored),
}

impl Original {
    pub(crate) fn new(storage: &Storage, stored: &Stored) -> Result<Self, StorageError> {
        match &stored.path {
            Some(path) => Ok(Self::Own(path.clone())),
            None => Ok(Self::Hosted(storage.hosted()?.clone(), stored.clone())),
        }
    }

    pub(crate) fn uploaded(upload: &Upload) -> Self {
        Self::Uploaded(upload.path())
    }

    /// Returns the trace from its derived file; `None` if there is none. Removes an invalid file.
    pub(crate) fn derived_trace(&self) -> Option<Ready> {
        let (path, source_bytes) = match self {
            Self::Own(_) => return None,
            Self::Uploaded(path) => {
                let derived = LocalFile::in_place(path.with_file_name(derived_file()));
                (derived, fs::metadata(path).ok()?.len())
            }
            Self::Hosted(hosted, stored) => {
                let found = Handle::current().block_on(hosted.derived(&stored.id));
                let found = found.inspect_err(|error| tracing::warn!(id = %stored.id, "{error}"));
                (found.ok()??, stored.entry.size_bytes)
            }
        };
        let map = Arc::new(Mapped::open(&path).ok()?);
        let file = Arc::clone(&map) as SharedBytes;
        match derived::open(&file, source_bytes) {
            Ok(trace) => {
                let original = self.clone();
                Some(Ready::new(trace).in_file(map).to_check(move || original.is_sound(&file)))
            }
            Err(error) => {
                self.discard_derived(&error);
                None
            }
        }
    }

    /// Imports the original and writes a derived file, from which queries are then answered. If the file
    /// can't be written, the imported trace is used.
    ///
    /// # Errors
    /// Returns an error if the original can't be read, is not a trace, or exceeds the budget.
    pub(crate) fn import(&self, budget: Budget) -> Result<Ready, LoadError> {
        let path = match self {
            Self::Own(path) => return Ok(trace_file::open(path, budget).map(Ready::new)?),
            Self::Uploaded(path) => LocalFile::in_place(path.clone()),
            Self::Hosted(hosted, stored) => {
                let original = Handle::current().block_on(hosted.original(&stored.id));
                original?
            }
        };
        let trace = trace_file::open(&path, budget)?;
        let source_bytes = fs::metadata(&path)?.len();
        let written = match self {
            Self::Own(_) => Ok(()),
            Self::Uploaded(_) => {
                write(&trace, source_bytes, &path.with_file_name(derived_file())).map_err(StorageError::Io)
            }
            Self::Hosted(hosted, stored) => Handle::current().block_on(async {
                let folder = hosted.begin_derived().await?;
                let file = folder.folder().join(derived_file());
                write(&trace, source_bytes, &file)?;
                hosted.put_derived(&stored.id, &file).await
            }),
        };
        if let Err(error) = written {
            // The trace can be used anyway; the next start imports again.
            tracing::warn!("can't write {}: {error}", derived_file());
        }
        // The system can reclaim mapped memory when it needs it.
        Ok(self.derived_trace().map_or_else(|| Ready::new(trace), Ready::checked))
    }

    /// True if a derived file's checksums match. A damaged file is removed.
    fn is_sound(&self, file: &SharedBytes) -> bool {
        derived::verify(file.as_ref().as_ref()).inspect_err(|error| self.discard_derived(error)).is_ok()
    }

    fn discard_derived(&self, error: &derived::DerivedError) {
        let removed = match self {
            Self::Own(_) => Ok(()),
            Self::Uploaded(path) => {
                fs::remove_file(path.with_file_name(derived_file())).map_err(StorageError::Io)
            }
            Self::Hosted(hosted, stored) => {
                tracing::warn!(id = %stored.id, "{}: {error}; the next import writes it again", derived_file());
                Handle::current().block_on(hosted.remove_derived(&stored.id))
            }
        };
        if let Err(error) = removed {
            tracing::warn!("can't remove a damaged derived file: {error}");
        }
    }
}

/// Writes a derived file, which is durable when this returns.
fn write(trace: &Trace, source_bytes: u64, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, private_files::create_file(path)?);
    derived::write(trace, source_bytes, &mut out)?;
    out.flush()?;
    out.get_ref().sync_all()
}
