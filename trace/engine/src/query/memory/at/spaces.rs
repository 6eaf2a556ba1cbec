//! Blocks of one process, kind and device, and the gaps between them.

use rustc_hash::FxHashMap;
use syclscope_language::api::{MemoryRegion, MemorySpace};
use syclscope_language::event::AllocationKind;

use super::{Live, There};
use crate::id::StringId;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// A larger gap separates two regions.
const REGION_GAP_BYTES: u64 = 64 << 20;
/// Maximum number of listed regions of a space.
const MAX_REGIONS: usize = 100;

/// Process, kind and device.
type Key = (u32, AllocationKind, StringId);

pub(super) struct Spaces<'t> {
    trace: &'t Trace,
    numbers: FxHashMap<(u32, u8, u32), u32>,
    keys: Vec<Key>,
}

impl<'t> Spaces<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        Self { trace, numbers: FxHashMap::default(), keys: Vec::new() }
    }

    /// Returns the space of an allocation, numbered in order of first appearance.
    pub(super) fn number(&mut self, row: usize) -> u32 {
        let rows = &self.trace.allocations;
        let (process, kind, device) = (rows.process.at(row), rows.kind.at(row), rows.title.at(row));
        let keys = &mut self.keys;
        *self.numbers.entry((process, kind as u8, device.0)).or_insert_with(|| {
            keys.push((process, kind, device));
            keys.len() as u32 - 1
        })
    }

    /// Sorts the spaces; returns the new number of each.
    pub(super) fn order(&mut self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        let name = |(process, kind, device): Key| (process, kind, self.trace.strings.get(device));
        order.arrange_by_key(|number| name(self.keys[*number]));
        let mut numbers = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            numbers[*old] = new as u32;
        }
        self.keys = order.iter().map(|old| self.keys[*old]).collect();
        numbers
    }

    /// Returns the spaces with the memory live at the first moment: blocks by space and address.
    pub(super) fn finish(self, live: &[Live]) -> Vec<MemorySpace> {
        let mut spaces = Vec::with_capacity(self.keys.len());
        for (number, (process, kind, device)) in self.keys.iter().enumerate() {
            let first = live.partition_point(|live| (live.space as usize) < number);
            let end = live.partition_point(|live| live.space as usize <= number);
            let mut space = MemorySpace {
                process: *process,
                kind: *kind,
                device: self.trace.strings.get(*device).to_owned(),
                has_addresses: !matches!(kind, AllocationKind::Buffer | AllocationKind::Image),
                ..MemorySpace::default()
            };
            let live = live[first..end].iter().filter(|live| live.there != There::Second);
            let blocks =
                live.map(|live| (live.pointer, self.trace.allocations.size_bytes.at(live.row as usize)));
            fill(&mut space, blocks);
            spaces.push(space);
        }
        spaces
    }
}

/// Adds blocks to a space, given as address and size, by address.
fn fill(space: &mut MemorySpace, blocks: impl Iterator<Item = (u64, u64)>) {
    let mut region: Option<MemoryRegion> = None;
    let (mut covered, mut spanned) = (0_u64, 0_u64);
    let mut close = |space: &mut MemorySpace, region: Option<MemoryRegion>| {
        let Some(region) = region.filter(|_| space.has_addresses) else { return };
        spanned = spanned.saturating_add(region.span_bytes);
        covered = covered.saturating_add(region.span_bytes - region.gap_bytes);
        space.gap_bytes = space.gap_bytes.saturating_add(region.gap_bytes);
        if space.regions.len() < MAX_REGIONS { space.regions.push(region) } else { space.more_regions += 1 }
    };
    for (pointer, bytes) in blocks {
        let end = pointer.saturating_add(bytes);
        if space.live.count == 0 {
            (space.lowest, space.highest) = (pointer, end);
        }
        space.live.add(bytes);
        let gap = pointer.saturating_sub(space.highest);
        space.highest = space.highest.max(end);
        if gap > REGION_GAP_BYTES {
            close(space, region.take());
        }
        let region = region.get_or_insert_with(|| MemoryRegion { pointer, ..MemoryRegion::default() });
        if gap > 0 && region.live.count > 0 {
            region.gaps += 1;
            region.gap_bytes += gap;
            region.largest_gap_bytes = region.largest_gap_bytes.max(gap);
            if space.has_addresses && gap > space.largest_gap_bytes {
                (space.largest_gap_bytes, space.largest_gap_at) = (gap, pointer - gap);
            }
        }
        region.live.add(bytes);
        region.span_bytes = space.highest - region.pointer;
    }
    close(space, region);
    space.utilisation = if spanned == 0 { 0.0 } else { covered as f64 / spanned as f64 };
}
