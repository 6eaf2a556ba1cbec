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
    shown: MemoryBlock,
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
        let block = Block::of(trace, live);
        if block.shown.pointer > *addresses.end() || block.end <= *addresses.start() {
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
    fn of(trace: &Trace, live: &Live) -> Self {
        let rows = &trace.allocations;
        let row = live.row as usize;
        let bytes = rows.size_bytes.at(row);
        let if_there = |there: There| if live.there == there { bytes } else { 0 };
        let end = live.pointer.saturating_add(bytes.max(1));
        Self {
            shown: MemoryBlock {
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
        self.shown.count > 1 || self.shown.span_bytes < merge
    }

    /// True if another one starts in the same bucket of addresses.
    fn is_beside(&self, other: &Self, merge: u64) -> bool {
        let bucket = |block: &Self| block.shown.pointer.checked_div(merge);
        self.shown.space == other.shown.space && bucket(self) == bucket(other)
    }

    fn join(&mut self, other: &Self) {
        let (shown, more) = (&mut self.shown, &other.shown);
        self.end = self.end.max(other.end);
        shown.span_bytes = self.end.saturating_sub(shown.pointer);
        shown.count = shown.count.saturating_add(more.count);
        shown.bytes = shown.bytes.saturating_add(more.bytes);
        shown.at_ns = shown.at_ns.min(more.at_ns);
        shown.released_ns = shown.released_ns.zip(more.released_ns).map(|(a, b)| a.max(b));
        shown.kept_bytes = shown.kept_bytes.saturating_add(more.kept_bytes);
        shown.allocated_bytes = shown.allocated_bytes.saturating_add(more.allocated_bytes);
        shown.released_bytes = shown.released_bytes.saturating_add(more.released_bytes);
        if self.place != other.place {
            self.place = None;
        }
    }

    /// Returns the block for an answer; without a second time there is no difference.
    pub(super) fn finish(self, trace: &Trace, locations: &mut Locations, differs: bool) -> MemoryBlock {
        let released_bytes = if differs { self.shown.released_bytes } else { 0 };
        let location = self.place.and_then(|place| locations.number(trace, place));
        MemoryBlock { location, released_bytes, ..self.shown }
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
