//! Allocations that start before a tile and are live at its start.
//!
//! There may be very many of them, most small and long-lived. If a tile has few addresses, the allocations at its
//! addresses are read; otherwise merged entries represent groups that are all live.

use syclscope_language::question::MemoryKey;

use super::SCATTERED;
use super::rows::Rows;
use super::tile_rows::TileRows;
use crate::store::Trace;
use crate::store::memory_levels::{Live, MergedRow};
use syclscope_language::sorting::Sorting as _;

/// Adds the allocations that start before the tile, by start.
pub(super) fn add(trace: &Trace, rows: &Rows<'_>, key: &MemoryKey, shown: &mut TileRows) {
    let from = key.span_ns().0;
    let (lowest, highest) = key.span_bytes();
    let begun = rows.at.partition_point(|at| *at < from);
    let is_live = |row: usize| row < begun && rows.released[row] > from && rows.is_own(row);
    let mut early: Vec<MergedRow> = Vec::new();
    let within = trace.by_address.within(&(lowest..highest));
    let is_narrow = within.len() < begun / SCATTERED;
    // Merged entries don't show single allocations that reach into the tile from lower addresses, or that are live
    // beyond the end of the run.
    let live = if is_narrow || from >= trace.duration_ns {
        None
    } else {
        let begun_before = |at: u64| rows.at.partition_point(|begun| *begun < at);
        trace.memory_levels.live(rows.owner.0, rows.kind(), (from, key.address_level), begun_before)
    };
    match (is_narrow, live) {
        (true, _) => {
            let here = within.iter().map(|row| *row as usize).filter(|row| is_live(*row));
            early.extend(here.map(|row| rows.row(row)));
        }
        (false, Some(live)) => merged(trace, rows, key, &live, &mut early),
        (false, None) => {
            trace.live.above(rows.released, 0..begun, from, |row| {
                if rows.pointer[row] < highest && rows.end(row) > lowest && rows.is_own(row) {
                    shown.add_early(&rows.row(row));
                }
            });
            return;
        }
    }
    trace.by_address.over(lowest, |row| {
        early.extend(Some(row as usize).filter(|row| is_live(*row)).map(|row| rows.row(row)));
    });
    if !early.is_sorted_by_key(|row| row.first) {
        early.arrange_by_key(|row| row.first);
    }
    early.iter().for_each(|row| shown.add_early(row));
}

/// Adds to `early` the entries at the tile's addresses whose allocations are all live, and the other live allocations
/// one by one.
fn merged(trace: &Trace, rows: &Rows<'_>, key: &MemoryKey, live: &Live, early: &mut Vec<MergedRow>) {
    let from = key.span_ns().0;
    let (lowest, highest) = key.span_bytes();
    let is_here = |pointer: u64| pointer >= lowest && pointer < highest;
    let one_by_one = |from_ns: u64, to_ns: u64, early: &mut Vec<MergedRow>| {
        let row = |at: u64| rows.at.partition_point(|begun| *begun < at);
        trace.live.above(rows.released, row(from_ns)..row(to_ns), from, |row| {
            if is_here(rows.pointer[row]) && rows.is_own(row) {
                early.push(rows.row(row));
            }
        });
    };
    trace.memory_levels.not_over(live, from, |begin, entries| {
        let here = || {
            let entries = entries.iter().map(|entry| trace.memory_levels.entry(*entry));
            entries.filter(|entry| is_here(entry.pointer))
        };
        if here().all(|entry| entry.first_released > from) {
            early.extend(here());
        } else {
            one_by_one(begin, begin + live.bucket_ns(), early);
        }
    });
    one_by_one(live.until, from, early);
}
