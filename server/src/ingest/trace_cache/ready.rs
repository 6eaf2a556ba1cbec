//! A trace that was loaded, and what it lies in.

use std::io;
use std::ops::Deref;
use std::sync::Arc;

use syclscope_engine::store::Trace;

use crate::storage::Mapped;

/// A trace that many requests query at once.
#[derive(Clone, Debug)]
pub struct SharedTrace {
    trace: Arc<Trace>,
    /// The file that it reads as it goes, if it is not all in memory.
    file: Option<Arc<Mapped>>,
}

impl SharedTrace {
    /// True if the file has not changed since. Earlier answers are right where it has not.
    pub fn is_whole(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.is_whole())
    }

    /// Checks that nothing was cut off the file while it was read.
    ///
    /// # Errors
    ///
    /// If its file was cut short.
    pub fn check_whole(&self) -> io::Result<()> {
        if self.is_whole() {
            Ok(())
        } else {
            Err(io::Error::other("the file that it was read from was cut short"))
        }
    }
}

impl Deref for SharedTrace {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}

/// A loaded trace and the memory that it takes.
pub struct Ready {
    pub(super) trace: SharedTrace,
    pub(super) cost_bytes: u64,
    /// Checks the whole file for damage. True if it has none.
    pub(super) check: Option<Box<dyn FnOnce() -> bool + Send>>,
}

/// Bytes that a trace takes beside its tables.
const SLOT_BYTES: u64 = 1 << 20;
/// Mapped bytes that count as one byte of ours: the system takes them back when it needs the memory.
const MAPPED_PER_OWN: u64 = 16;

impl Ready {
    /// A trace that needs no check.
    pub fn new(trace: Trace) -> Self {
        let mapped = trace.mapped_bytes() as u64 / MAPPED_PER_OWN;
        let cost_bytes = SLOT_BYTES + trace.memory_bytes() as u64 + mapped;
        Self { trace: SharedTrace { trace: Arc::new(trace), file: None }, cost_bytes, check: None }
    }

    /// The same trace, which lies in a file.
    #[must_use]
    pub fn in_file(mut self, file: Arc<Mapped>) -> Self {
        self.trace.file = Some(file);
        self
    }

    /// The same trace, to be checked while it already answers.
    #[must_use]
    pub fn to_check(self, check: impl FnOnce() -> bool + Send + 'static) -> Self {
        Self { check: Some(Box::new(check)), ..self }
    }

    /// The same trace, known to be undamaged.
    #[must_use]
    pub fn checked(self) -> Self {
        Self { check: None, ..self }
    }
}
