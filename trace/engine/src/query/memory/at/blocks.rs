//! Memory blocks by address, small ones merged.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;
use syclscope_language::api::{LocationInfo, MemoryBlock};

use super::{Live, There};
use crate::id::LocationId;
use crate::query::detail::location;
use crate::store::Trace;

/// A block, or several shown as one.
pub(super) struct Block {
    total: MemoryBlock,
    /// End of the addresses, exclusive.
    end: u64,
    place: Option<LocationId>,
}

/// Returns the blocks of a range of addresses; those smaller than `merge` bytes are merged within each bucket of that
/// size.
pub(super) fn blocks(
    trace: &Trace,
    live: &[Live],
    addresses: &RangeInclusive<u64>,
    merge: u64,
) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for live in live {
        let block = Block::new(trace, live);
        if block.total.pointer > *addresses.end() || block.end <= *addresses.start() {
            continue;
        }
        match blocks.last_mut().filter(|last| last.is_small(merge) && last.is_beside(&block, merge)) {
            Some(last) if block.is_small(merge) => last.join(&block),
            _ => blocks.push(block),
        }
    }
    blocks
}

impl Block {
    fn new(trace: &Trace, live: &Live) -> Self {
        let rows = &trace.allocations;
        let row = live.row as usize;
        let bytes = rows.size_bytes.at(row);
        let if_there = |there: There| if live.there == there { bytes } else { 0 };
        let end = live.pointer.saturating_add(bytes.max(1));
        Self {
            total: MemoryBlock {
                allocation: live.row,
                space: live.space,
                pointer: live.pointer,
                span_bytes: end - live.pointer,
                count: 1,
                bytes,
                at_ns: rows.at.at(row),
                released_ns: rows.released.at(row),
                location: None,
                object: trace.owners().id_of(live.row),
                kept_bytes: if_there(There::Both),
                allocated_bytes: if_there(There::Second),
                released_bytes: if_there(There::First),
            },
            end,
            place: Some(trace.owners().location_of(trace, live.row)),
        }
    }

    fn is_small(&self, merge: u64) -> bool {
        self.total.count > 1 || self.total.span_bytes < merge
    }

    /// True if another block of the same space starts in the same bucket of addresses.
    fn is_beside(&self, other: &Self, merge: u64) -> bool {
        let bucket = |block: &Self| block.total.pointer.checked_div(merge);
        self.total.space == other.total.space && bucket(self) == bucket(other)
    }

    fn join(&mut self, other: &Self) {
        let (total, more) = (&mut self.total, &other.total);
        self.end = self.end.max(other.end);
        total.span_bytes = self.end.saturating_sub(total.pointer);
        total.count = total.count.saturating_add(more.count);
        total.bytes = total.bytes.saturating_add(more.bytes);
        total.at_ns = total.at_ns.min(more.at_ns);
        total.released_ns = total.released_ns.zip(more.released_ns).map(|(a, b)| a.max(b));
        total.kept_bytes = total.kept_bytes.saturating_add(more.kept_bytes);
        total.allocated_bytes = total.allocated_bytes.saturating_add(more.allocated_bytes);
        total.released_bytes = total.released_bytes.saturating_add(more.released_bytes);
        if self.place != other.place {
            self.place = None;
        }
    }

    /// Returns the block for an answer; without a second moment there is no difference.
    pub(super) fn finish(self, trace: &Trace, locations: &mut Locations, differs: bool) -> MemoryBlock {
        let released_bytes = if differs { self.total.released_bytes } else { 0 };
        let location = self.place.and_then(|place| locations.number(trace, place));
        MemoryBlock { location, released_bytes, ..self.total }
    }
}

#[derive(Default)]
pub(super) struct Locations {
    numbers: FxHashMap<LocationId, Option<u32>>,
    pub(super) list: Vec<LocationInfo>,
}

impl Locations {
    fn number(&mut self, trace: &Trace, place: LocationId) -> Option<u32> {
        let list = &mut self.list;
        *self.numbers.entry(place).or_insert_with(|| {
            list.push(location(trace, place)?);
            Some(list.len() as u32 - 1)
        })
    }
}
