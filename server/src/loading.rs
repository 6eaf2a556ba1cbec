//! Loads a stored trace: from its derived file at once, else by an import that writes the derived file.

use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use syclscope_engine::budget::Budget;
use syclscope_engine::store::Trace;
use syclscope_engine::tables::derived::{self, SharedBytes};

use crate::private;
use crate::storage::{self, DERIVED_FILE, Stored, TraceId, Version};
use crate::trace_cache::{LoadError, Ready, open_file};

/// An uploaded or opened file, and whether a derived file belongs beside it.
#[derive(Clone, Debug)]
pub(crate) struct Original {
    path: PathBuf,
    /// Whether it lies in the data folder, where files never change.
    is_ours: bool,
}

impl Original {
    /// The file of a stored trace. Beside a user's own file, we write nothing.
    pub(crate) fn of(stored: &Stored) -> Self {
        Self { path: stored.path.clone(), is_ours: stored.version == Version::Only }
    }

    /// The file of an upload, which will be stored with what lies beside it.
    pub(crate) fn uploaded(path: PathBuf) -> Self {
        Self { path, is_ours: true }
    }

    fn derived(&self) -> PathBuf {
        self.path.with_file_name(DERIVED_FILE)
    }

    /// The trace from its derived file; `None` if there is none. Removes a file that does not fit.
    pub(crate) fn derived_trace(&self) -> Option<Ready> {
        let path = self.derived();
        let source_bytes = fs::metadata(&self.path).ok().filter(|_| self.is_ours)?.len();
        let file: SharedBytes = Arc::new(storage::map(&path).ok()?);
        match derived::open(&file, source_bytes) {
            Ok(trace) => {
                let original = self.clone();
                Some(Ready::new(trace).to_check(move || original.is_sound(&file)))
            }
            Err(error) => {
                tracing::warn!("{}: {error}; the next import writes it again", path.display());
                let _ = fs::remove_file(path);
                None
            }
        }
    }

    /// Imports the original and writes a derived file, which then answers. If the file can't be written, the imported
    /// trace answers.
    ///
    /// # Errors
    /// When the original can't be read, is not a trace, or takes more than it may.
    pub(crate) fn import(&self, budget: Budget) -> Result<Ready, LoadError> {
        if !self.is_ours {
            return open_file(&self.path, budget).map(Ready::new);
        }
        let trace = open_file(&self.path, budget)?;
        match self.derive(&trace, fs::metadata(&self.path)?.len()) {
            Ok(()) => {}
            // The trace answers all the same; the next start imports again.
            Err(error) => tracing::warn!("{} can't be written: {error}", self.derived().display()),
        }
        // The system can take back mapped memory when it needs it.
        Ok(self.derived_trace().map_or_else(|| Ready::new(trace), Ready::checked))
    }

    /// Writes the derived file under another name and renames it, so that it is never half written.
    fn derive(&self, trace: &Trace, source_bytes: u64) -> io::Result<()> {
        let unfinished = self.path.with_file_name(format!("{DERIVED_FILE}.{}", TraceId::random()?));
        let write = || {
            let mut out = BufWriter::with_capacity(1 << 20, private::create_file(&unfinished)?);
            derived::write(trace, source_bytes, &mut out)?;
            out.flush()?;
            out.get_ref().sync_all()?;
            fs::rename(&unfinished, self.derived())
        };
        write().inspect_err(|_| drop(fs::remove_file(&unfinished)))
    }

    /// Verifies a derived file's checksums. Removes a damaged file and returns `false`.
    fn is_sound(&self, file: &SharedBytes) -> bool {
        match derived::verify(file.as_ref().as_ref()) {
            Ok(()) => true,
            Err(error) => {
                let path = self.derived();
                tracing::warn!("{}: {error}; the next import writes it again", path.display());
                let _ = fs::remove_file(path);
                false
            }
        }
    }
}
