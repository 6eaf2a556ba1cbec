//! Tiles of memory: allocations as rectangles of address and time.
//!
//! Allocations that start in the tile are read from the level with the fewest entries there, or one by one, by time or
//! by address. The same applies to allocations that start earlier and reach into the tile. Allocations that reach into
//! the tile from lower addresses are looked up one by one.

mod early;
mod rows;
mod tile_rows;

use std::ops::Range;

use syclscope_language::api::MemoryTile;
use syclscope_language::event::AllocationKind;
use syclscope_language::question::{MAX_LEVEL, MemoryKey};

use self::rows::Rows;
use self::tile_rows::TileRows;
use crate::convention::memory_counter_name;
use crate::store::Trace;
use crate::store::tracks::TrackRow;

/// Cost of visiting an allocation at random, relative to one in sequence.
const SCATTERED: usize = 16;

pub(in crate::query) fn kind_of(trace: &Trace, track: &TrackRow) -> Option<AllocationKind> {
    let name = trace.strings.get(track.name);
    crate::id::some(track.counter)?;
    AllocationKind::ALL.iter().copied().find(|kind| memory_counter_name(*kind) == name)
}

pub(in crate::query) fn tile(
    trace: &Trace,
    track: &TrackRow,
    kind: AllocationKind,
    key: MemoryKey,
) -> MemoryTile {
    let key =
        MemoryKey { level: key.level.min(MAX_LEVEL), address_level: key.address_level.min(MAX_LEVEL), ..key };
    let (from, to) = key.span_ns();
    let (lowest, highest) = key.span_bytes();
    let rows = Rows::new(trace, track.process, kind);
    let begun = rows.at.partition_point(|at| *at < from);
    let until = rows.at.partition_point(|at| *at < to).max(begun);
    let mut shown = TileRows::new(key);
    let (is_own, alone) = (|row: usize| rows.is_own(row), |row: usize| rows.row(row));
    let addresses = lowest..highest;
    early::add(trace, &rows, &key, &mut shown);
    shown.end_early();
    // Few of the allocations that start in the tile's time start at lower addresses.
    let mut reaching = Vec::new();
    let in_time = |row: &u32| (begun..until).contains(&(*row as usize));
    trace.by_address.over(lowest, |row| reaching.extend(Some(row).filter(in_time)));
    let within = trace.by_address.within(&addresses);
    if within.len() < (until - begun) / SCATTERED {
        reaching.extend(within.iter().copied().filter(in_time));
        reaching.sort_unstable();
        shown.add_all(reaching.len(), |at| reaching[at] as usize, is_own, alone);
        return shown.tile();
    }
    reaching.sort_unstable();
    let show = |shown: &mut TileRows, row: Option<u32>| {
        let row = row.map(|row| row as usize);
        shown.add_all(row.iter().len(), |_| row.unwrap_or_default(), is_own, alone);
    };
    match trace.memory_levels.entries(track.process, kind, &key, until - begun) {
        Some(entries) => {
            let columns = trace.memory_levels.columns(entries);
            let is_there = |at: usize| in_range(&addresses, columns.pointer[at]);
            shown.reserve(columns.first.len());
            let place_of = |row| columns.first.partition_point(|first| *first < row);
            for (part, row) in parts(columns.first.len(), &reaching, place_of) {
                shown.add_all(part.len(), |at| part.start + at, is_there, |at| columns.row(at));
                show(&mut shown, row);
            }
        }
        None => {
            let is_there = |row: usize| in_range(&addresses, rows.pointer[row]) & rows.is_own(row);
            shown.reserve(until - begun);
            let place_of = |row: u32| (row as usize).saturating_sub(begun);
            for (part, row) in parts(until - begun, &reaching, place_of) {
                shown.add_all(part.len(), |at| begun + part.start + at, is_there, alone);
                show(&mut shown, row);
            }
        }
    }
    shown.tile()
}

/// True if a range contains an address, without branches.
fn in_range(range: &Range<u64>, address: u64) -> bool {
    (address >= range.start) & (address < range.end)
}

/// Returns ranges of entries, each followed by an allocation that starts at a lower address.
fn parts(
    entries: usize,
    reaching: &[u32],
    place_of: impl Fn(u32) -> usize,
) -> impl Iterator<Item = (Range<usize>, Option<u32>)> {
    let mut from = 0;
    let rows = reaching.iter().copied().map(Some).chain([None]);
    rows.map(move |row| {
        let to = row.map_or(entries, &place_of).clamp(from, entries);
        (std::mem::replace(&mut from, to)..to, row)
    })
}
