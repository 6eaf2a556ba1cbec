//! The slices of a thread, each with the slices around it.
//!
//! A thread's own track already has them by depth. Its native calls are on other tracks and are nested by their times.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, TrackKind};

use crate::cancel;
use crate::id::StringId;
use crate::query::select::{Lane, SelectedSlices};
use crate::store::table::Table as _;

pub(super) struct Thread {
    /// The thread's own track if it has slices of the selection, else the first of its other tracks.
    pub(super) track: u32,
    lanes: Vec<Lane>,
}

/// Returns the threads of a selection in the order of their tracks.
pub(super) fn threads(selected: &SelectedSlices<'_>) -> Vec<Thread> {
    let mut threads: Vec<Thread> = Vec::new();
    let mut known: FxHashMap<(u32, u32, u32), usize> = FxHashMap::default();
    for lane in &selected.lanes {
        let track = selected.trace.tracks.row(lane.track as usize);
        if !matches!(track.kind, TrackKind::Thread | TrackKind::Stream) {
            continue;
        }
        // Another tool's file may have several programs in one process, whose threads have the same ids: they are under
        // different tracks.
        let own = selected.trace.thread_of_track(lane.track, &track);
        let parent = own.map_or(track.parent, |own| selected.trace.tracks.row(own as usize).parent);
        // A thread without an id is its track alone.
        let tid = if track.tid == 0 { u32::MAX - lane.track } else { track.tid };
        let key = (track.process, parent, tid);
        let thread = *known.entry(key).or_insert_with(|| {
            threads.push(Thread { track: lane.track, lanes: Vec::new() });
            threads.len() - 1
        });
        let thread = &mut threads[thread];
        thread.lanes.push(lane.clone());
        if track.kind == TrackKind::Thread && thread.lanes.len() > 1 {
            let first = selected.trace.tracks.row(thread.track as usize).kind;
            thread.track = if first == TrackKind::Thread { thread.track } else { lane.track };
        }
    }
    threads
}

pub(super) struct Visit<'a, T> {
    /// Results of the slices around it, outermost first.
    pub(super) above: &'a [T],
    pub(super) name: StringId,
    pub(super) category: Category,
    /// Part of the slice's duration within the selection's range.
    pub(super) duration_ns: u64,
    pub(super) is_error: bool,
}

/// Calls `take` with each slice of a thread by start, outer ones first. Slices within a slice see its result.
pub(super) fn walk<T>(
    selected: &mut SelectedSlices<'_>,
    thread: &Thread,
    mut take: impl FnMut(Visit<'_, T>) -> T,
) {
    let (trace, slices) = (selected.trace, &selected.trace.slices);
    let is_everything = selected.matcher.is_everything();
    let mut rows: Vec<(u64, Reverse<u64>, u32)> = Vec::new();
    for lane in &thread.lanes {
        for row in lane.rows.clone() {
            cancel::row(row);
            // Signals and diagnostics are points in time.
            let is_point = matches!(slices.category(row), Category::Signal | Category::Diagnostic);
            if !is_point && (is_everything || selected.matcher.is_match(row, lane.track)) {
                rows.push((slices.start.at(row), Reverse(slices.end(row)), row as u32));
            }
        }
    }
    rows.sort_unstable();
    let mut failures = FxHashMap::default();
    let (mut ends, mut above): (Vec<u64>, Vec<T>) = (Vec::new(), Vec::new());
    for (start, Reverse(end), row) in rows {
        // A slice that ends before this one, or as it begins, is not around it.
        while ends.last().is_some_and(|around| *around < end || (*around <= start && end > start)) {
            ends.pop();
            above.pop();
        }
        let row = row as usize;
        let args = slices.args.at(row);
        let visit = Visit {
            above: &above,
            name: slices.name.at(row),
            category: slices.category(row),
            duration_ns: end.min(selected.to).saturating_sub(start.max(selected.from)),
            is_error: is_call(slices.category(row))
                && *failures.entry(args.0).or_insert_with(|| trace.is_error(args)),
        };
        let made = take(visit);
        ends.push(end);
        above.push(made);
    }
}

fn is_call(category: Category) -> bool {
    matches!(category, Category::Call | Category::Native)
}
