//! Tiles of memory: allocations as rectangles of address and time. The cost follows the allocations that are live in
//! the tile's span of time.

use crate::api::MemoryTile;
use crate::convention::memory_counter_name;
use crate::event::AllocationKind;
use crate::hash::FastMap;
use crate::source::MemoryKey;
use crate::store::Trace;
use crate::store::memory::AllocationRow;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

/// The kind of memory that a counter's track counts.
pub(super) fn kind_of(trace: &Trace, track: &TrackRow) -> Option<AllocationKind> {
    let name = trace.strings.get(track.name);
    crate::id::some(track.counter)?;
    AllocationKind::ALL.iter().copied().find(|kind| memory_counter_name(*kind) == name)
}

/// The allocations of a track's kind and process in the tile's spans.
pub(super) fn tile(trace: &Trace, track: &TrackRow, kind: AllocationKind, key: MemoryKey) -> MemoryTile {
    let (from, to) = key.time().span_ns();
    let (lowest, highest) = key.span_bytes();
    let rows = &trace.allocations;
    let mut tile = MemoryTile::default();
    let mut merged: FastMap<(u64, u64), usize> = FastMap::default();
    let begun = rows.at.partition_point(|at| *at < from);
    let until = rows.at.partition_point(|at| *at < to).max(begun);
    let mut live = Vec::new();
    trace.live.above(rows.released.raw(), 0..begun, from, |row| live.push(row as u32));
    live.extend(begun as u32..until as u32);
    for row in live {
        let allocation = rows.row(row as usize);
        let until = allocation.released.unwrap_or(trace.duration_ns).max(allocation.at);
        let end = allocation.pointer.saturating_add(allocation.size_bytes.max(1));
        let touches = allocation.pointer < highest && end > lowest;
        if allocation.kind != kind || allocation.process != track.process || !touches {
            continue;
        }
        let is_alone =
            until - allocation.at >= key.time().bucket_ns() && allocation.size_bytes >= key.bucket_bytes();
        let place = (allocation.at / key.time().bucket_ns(), allocation.pointer / key.bucket_bytes());
        match merged.get(&place).filter(|_| !is_alone) {
            Some(known) => tile.join(*known, &allocation, (until, end)),
            None => {
                if !is_alone {
                    merged.insert(place, tile.allocation.len());
                }
                tile.push(row, &allocation, (until, end));
            }
        }
    }
    tile
}

impl MemoryTile {
    fn push(&mut self, row: u32, allocation: &AllocationRow, (until, end): (u64, u64)) {
        self.allocation.push(row);
        self.at_ns.push(allocation.at);
        self.until_ns.push(until);
        self.pointer.push(allocation.pointer);
        self.span_bytes.push(end - allocation.pointer);
        self.count.push(1);
        self.total_bytes.push(allocation.size_bytes);
    }

    /// Adds an allocation to an entry; entries are in the order of their first moment.
    fn join(&mut self, entry: usize, allocation: &AllocationRow, (until, end): (u64, u64)) {
        let top = (self.pointer[entry].saturating_add(self.span_bytes[entry])).max(end);
        self.pointer[entry] = self.pointer[entry].min(allocation.pointer);
        self.span_bytes[entry] = top - self.pointer[entry];
        self.until_ns[entry] = self.until_ns[entry].max(until);
        self.count[entry] += 1;
        self.total_bytes[entry] = self.total_bytes[entry].saturating_add(allocation.size_bytes);
    }
}
