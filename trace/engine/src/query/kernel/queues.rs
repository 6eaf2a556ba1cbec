//! Executions by queue, and the cost of the first on each.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::QueueExecutions;

use super::{Execution, most, stats};
use crate::id::some;
use crate::query::detail::slice_ref;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Returns the executions of each queue, most time first, and the number of queues beyond `limit`; marks the first on
/// each. A queue is identified by its track.
pub(super) fn by_queue(
    trace: &Trace,
    executions: &mut [Execution],
    limit: usize,
) -> (Vec<QueueExecutions>, u64) {
    let mut firsts: FxHashMap<u32, usize> = FxHashMap::default();
    for (place, one) in executions.iter().enumerate() {
        let first = firsts.entry(one.track).or_insert(place);
        if one.start < executions[*first].start {
            *first = place;
        }
    }
    for place in firsts.values() {
        executions[*place].is_first = true;
    }
    let mut in_order: Vec<&Execution> = executions.iter().filter(|one| one.is_first).collect();
    in_order.arrange_by_key(|one| (one.start, one.row));
    // A queue's track is a child of its device's.
    let device = |track: u32| some(trace.tracks.parent.at(track as usize)).unwrap_or(track);
    let mut seen = FxHashSet::default();
    let on_device: FxHashSet<u32> =
        in_order.iter().filter(|one| seen.insert(device(one.track))).map(|one| one.track).collect();
    let mut queues: FxHashMap<u32, Vec<&Execution>> = FxHashMap::default();
    for one in &*executions {
        queues.entry(one.track).or_default().push(one);
    }
    let told = in_order.iter().map(|first| QueueExecutions {
        first: slice_ref(trace, first.row as u32),
        is_first_on_device: on_device.contains(&first.track),
        submission_ns: first.submission.map(|slice| trace.slices.duration.at(slice)),
        stats: stats(trace, queues.remove(&first.track).unwrap_or_default()),
    });
    most(told.collect(), limit, |queue| &queue.stats)
}
