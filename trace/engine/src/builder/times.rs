//! The bounds of a trace in time.

use syclscope_language::time::Timestamp;

use super::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};

/// The latest time of a trace: a tile of the highest level still covers it.
const LATEST: u64 = (1 << 62) - 1;

#[derive(Debug)]
pub(super) struct Times {
    first: u64,
    pub(super) last: u64,
    pub(super) start_at_first_event: bool,
}

impl Default for Times {
    fn default() -> Self {
        Self { first: u64::MAX, last: 0, start_at_first_event: false }
    }
}

impl Times {
    /// Returns the time to subtract from every time, so that the first event is the start.
    pub(super) fn origin(&self) -> u64 {
        if self.first == u64::MAX { 0 } else { self.first }
    }

    /// Returns the time, clamped to the range of a trace.
    pub(super) fn take(&mut self, at: Timestamp, diagnostics: &mut Diagnostics) -> u64 {
        let mut time = at.0;
        if time > LATEST {
            diagnostics.count(DiagnosticKind::TimeOutOfRange);
            time = LATEST;
        }
        self.first = self.first.min(time);
        self.last = self.last.max(time);
        time
    }
}

impl TraceBuilder {
    pub(super) fn time(&mut self, at: Timestamp) -> u64 {
        self.times.take(at, &mut self.diagnostics)
    }
}
