//! What is live when a tile begins.
//!
//! All of it begins at the tile's edge, so that a level of any resolution in time will do: of an entry of which all are
//! live then, and that the tile would merge too, nothing else need be known. Where a bucket of the level has others, its
//! allocations are looked at.

use std::ops::Range;

use crate::event::AllocationKind;
use crate::source::MemoryKey;
use crate::store::Trace;
use crate::store::memory_levels::MergedRow;

/// Looking at an entry of a level costs what so many allocations do.
const ENTRY: usize = 16;

/// Shows what begins before a tile in its range of addresses and is live when it begins, in order.
pub(super) fn each(
    trace: &Trace,
    (process, kind): (u32, AllocationKind),
    key: &MemoryKey,
    begun: usize,
    addresses: &Range<u64>,
    mut show: impl FnMut(&MergedRow),
) {
    let (from, _) = key.time().span_ns();
    let rows = &trace.allocations;
    let levels = &trace.memory_levels;
    let one_by_one = |range: Range<usize>, show: &mut dyn FnMut(&MergedRow)| {
        trace.live.above(rows.released.raw(), range, from, |row| {
            let is_own = rows.kind.at(row) == kind && rows.process.at(row) == process;
            if is_own && addresses.contains(&rows.pointer.at(row)) {
                show(&MergedRow::alone(rows, row, trace.duration_ns));
            }
        });
    };
    // Behind the trace's end the moment of a release says nothing about what never is.
    let level = levels.before(process, kind, key, begun / ENTRY).filter(|_| from < trace.duration_ns);
    let Some((entries, level)) = level else { return one_by_one(0..begun, &mut show) };
    let bucket_of = |position: usize| levels.begin_of(position) >> level;
    // First bucket of those that must be looked at, one after the other.
    let mut unclear: Option<u64> = None;
    let row_of = |bucket: u64| {
        let begin = u128::from(bucket) << level;
        rows.at.partition_point(|at| u128::from(*at) < begin).min(begun)
    };
    let mut position = entries.start;
    let mut whole: Vec<MergedRow> = Vec::new();
    while position < entries.end {
        let bucket = bucket_of(position);
        let is_over = (u128::from(bucket) + 1) << level <= u128::from(from);
        let mut is_clear = is_over;
        whole.clear();
        while position < entries.end && bucket_of(position) == bucket {
            let entry = levels.entry(position);
            position += 1;
            if !is_clear || entry.until <= from || !addresses.contains(&entry.pointer) {
                continue;
            }
            is_clear = entry.is_live_as_one(from, key.address_level);
            whole.push(entry);
        }
        if !is_clear {
            unclear.get_or_insert(bucket);
        } else if !whole.is_empty() {
            if let Some(first) = unclear.take() {
                one_by_one(row_of(first)..row_of(bucket), &mut show);
            }
            whole.iter().for_each(&mut show);
        }
    }
    if let Some(first) = unclear {
        one_by_one(row_of(first)..begun, &mut show);
    }
}
