//! Calls and submissions of a thread in a time range.

use std::ops::Range;

use syclscope_language::event::Category;

use crate::store::Trace;
use crate::store::table::Table as _;

/// Calls `found` with the outermost submissions and calls of a thread in a range of time, by time, each clipped to it.
/// Markers of the program or another tool are not calls.
pub(crate) fn each_call(
    trace: &Trace,
    track: u32,
    range: Range<u64>,
    mut found: impl FnMut(usize, Range<u64>),
) {
    let Some(row) = trace.tracks.get(track) else { return };
    let lanes = row.lane_range();
    let slices = &trace.slices;
    // A range of a lane, and its remaining slices. The depth comes from the file, so this does not recurse.
    let level = |lane: usize, range: Range<u64>| {
        let rows = slices.lane(lane);
        let starts = slices.start.get(rows.clone())?;
        // The last slice that started before the range may overlap it.
        let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        (lane < lanes.end).then_some((lane, rows.start + first..rows.end, range))
    };
    let mut open: Vec<(usize, Range<usize>, Range<u64>)> = level(lanes.start, range).into_iter().collect();
    while let Some((lane, rows, range)) = open.last_mut() {
        let Some(slice) = rows.next().filter(|slice| slices.start.at(*slice) < range.end) else {
            open.pop();
            continue;
        };
        let part = slices.start.at(slice).max(range.start)..slices.end(slice).min(range.end);
        if part.start >= part.end {
            continue;
        }
        let lane = *lane;
        match slices.category(slice) {
            Category::Submission | Category::Call | Category::Native | Category::Memory => found(slice, part),
            _ => open.extend(level(lane + 1, part)),
        }
    }
}
