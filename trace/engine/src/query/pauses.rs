//! Pauses of the recording, by process.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Name of a step in which the recording was paused.
pub(super) const PAUSED: &str = "recording paused";

pub(super) struct Pauses(FxHashMap<u32, Stretches>);

impl Pauses {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut pauses: FxHashMap<u32, Vec<(u64, u64)>> = FxHashMap::default();
        for pause in trace.machine.pauses.iter() {
            pauses.entry(pause.process).or_default().push((pause.start, pause.end.unwrap_or(u64::MAX)));
        }
        Self(pauses.into_iter().map(|(process, spans)| (process, Stretches::new(spans))).collect())
    }

    /// Returns a process's pauses within a range; `None` if there are none.
    pub(super) fn within(&self, process: u32, range: &Range<u64>) -> Option<Stretches> {
        let pauses = self.0.get(&process)?.clipped(range.start, range.end);
        (pauses.ns() > 0).then_some(pauses)
    }
}
