//! Times without events of a thread. It may have waited for an unrecorded event, such as the end of a thread.

use syclscope_language::event::Category;

use crate::store::Trace;
use crate::store::table::Table as _;

/// True if a thread has no event in `from..to`. A marker or region around the whole range does not count: the thread
/// may have waited there for an unrecorded event.
pub(super) fn is_silent(trace: &Trace, track: u32, from: u64, to: u64) -> bool {
    let Some(row) = trace.tracks.get(track) else { return false };
    for lane in row.lane_range() {
        let rows = trace.slices.lane(lane);
        let Some(starts) = trace.slices.start.get(rows.clone()) else { return false };
        let before = starts.partition_point(|start| *start < to);
        let last = before.checked_sub(1).map(|last| rows.start + last);
        let Some(last) = last.filter(|last| trace.slices.end(*last) > from) else { return true };
        let is_around = trace.slices.start.at(last) <= from && trace.slices.end(last) >= to;
        if !is_around || !matches!(trace.slices.category(last), Category::User | Category::Other) {
            return false;
        }
    }
    true
}
