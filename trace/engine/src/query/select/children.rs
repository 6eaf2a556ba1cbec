//! The self time of slices: without their children.

use syclscope_language::event::TrackKind;

use crate::store::Trace;
use crate::store::levels::gallop;

/// True if a lane of the track has the children of the lane above. A queue's lanes have overlapping slices.
pub(super) fn are_below(kind: TrackKind) -> bool {
    kind != TrackKind::Queue
}

/// The self time of a lane's slices, requested by start.
pub(super) struct OwnTime<'t> {
    starts: &'t [u64],
    durations: &'t [u64],
    /// First slice of the lane below that may end after the start of the next requested slice.
    next: usize,
}

impl<'t> OwnTime<'t> {
    /// Returns a cursor for the lane above `below`, the lane with the children; `None` if no slice has any.
    pub(super) fn above(trace: &'t Trace, below: Option<usize>) -> Self {
        let rows = below.map_or(0..0, |lane| trace.slices.lane(lane));
        let starts = trace.slices.start.get(rows.clone()).unwrap_or_default();
        let durations = trace.slices.duration.get(rows).unwrap_or_default();
        Self { starts, durations, next: 0 }
    }

    /// Returns the duration of a slice without its children.
    pub(super) fn self_ns(&mut self, start: u64, duration: u64) -> u64 {
        let end = start.saturating_add(duration);
        self.next = gallop(self.starts, self.next, |next| next < start);
        let mut own = duration;
        // The previous slice may overlap it.
        let mut child = self.next.saturating_sub(1);
        while let Some(begin) = self.starts.get(child).filter(|begin| **begin < end) {
            let until = begin.saturating_add(self.durations.get(child).copied().unwrap_or_default());
            own = own.saturating_sub(until.min(end).saturating_sub((*begin).max(start)));
            child += 1;
        }
        own
    }
}
