//! A loaded trace with its file.

use std::io;
use std::ops::Deref;
use std::sync::Arc;

use syclscope_engine::store::Trace;

use crate::storage::Mapped;

#[derive(Clone, Debug)]
pub struct SharedTrace {
    trace: Arc<Trace>,
    /// The mapped file, unless the whole trace is in memory.
    file: Option<Arc<Mapped>>,
}

impl SharedTrace {
    /// True if the file has not been truncated. Earlier answers are correct then.
    pub fn is_whole(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.is_whole())
    }

    /// Fails if the file was truncated while it was read.
    pub fn check_whole(&self) -> io::Result<()> {
        if self.is_whole() { Ok(()) } else { Err(io::Error::other("its file was truncated")) }
    }
}

impl Deref for SharedTrace {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}

pub struct Ready {
    pub(super) trace: SharedTrace,
    pub(super) cost_bytes: u64,
    /// Verifies the whole file. True if it is undamaged.
    pub(super) check: Option<Box<dyn FnOnce() -> bool + Send>>,
}

/// Memory of a trace in addition to its tables.
const SLOT_BYTES: u64 = 1 << 20;
/// Mapped bytes that count as one byte, because the system can reclaim them.
const MAPPED_PER_OWN: u64 = 16;

impl Ready {
    /// Creates a trace that needs no check.
    pub fn new(trace: Trace) -> Self {
        let mapped = trace.mapped_bytes() as u64 / MAPPED_PER_OWN;
        let cost_bytes = SLOT_BYTES + trace.memory_bytes() as u64 + mapped;
        Self { trace: SharedTrace { trace: Arc::new(trace), file: None }, cost_bytes, check: None }
    }

    #[must_use]
    pub fn in_file(mut self, file: Arc<Mapped>) -> Self {
        self.trace.file = Some(file);
        self
    }

    /// Returns the same trace, to be verified while it already answers queries.
    #[must_use]
    pub fn to_check(self, check: impl FnOnce() -> bool + Send + 'static) -> Self {
        Self { check: Some(Box::new(check)), ..self }
    }

    /// Returns the same trace, known to be undamaged.
    #[must_use]
    pub fn checked(self) -> Self {
        Self { check: None, ..self }
    }
}
