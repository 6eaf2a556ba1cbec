//! Commands with unknown memory accesses.

use rustc_hash::FxHashMap;

use crate::id::some;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;

#[derive(Clone, Debug, Default)]
pub(crate) struct Blind {
    /// Start and end, by start; once finished, the end is the latest one so far.
    spans: FxHashMap<u32, Vec<(u64, u64)>>,
}

impl Blind {
    pub(super) fn add(&mut self, process: u32, start: u64, end: u64) {
        self.spans.entry(process).or_default().push((start, end));
    }

    pub(super) fn finish(&mut self) {
        for spans in self.spans.values_mut() {
            spans.sort_unstable();
            let mut last = 0;
            for (_, end) in spans.iter_mut() {
                last = last.max(*end);
                *end = last;
            }
        }
    }

    /// True if one of them ran in a process between two moments.
    pub(in crate::query::memory) fn any_within(&self, process: u32, from: u64, to: u64) -> bool {
        let Some(spans) = self.spans.get(&process) else { return false };
        let begun = spans.partition_point(|(start, _)| *start < to);
        begun.checked_sub(1).is_some_and(|last| spans[last].1 > from)
    }
}

/// Returns the process of a command's submission, queue or execution; the first process if there is none.
pub(super) fn process_of(trace: &Trace, node: &NodeRow) -> u32 {
    let track_of = |slice: u32| trace.tracks.of_lane(trace.slices.lane_of(slice as usize));
    let queue =
        || some(node.queue).and_then(|queue| trace.queues.get(queue)).map(|queue| queue.track as usize);
    let track =
        some(node.submission).map(track_of).or_else(queue).or_else(|| some(node.execution).map(track_of));
    track.map_or(0, |track| trace.tracks.process.at(track))
}
