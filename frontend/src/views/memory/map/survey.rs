//! Survey of the used address space with tiles of the whole run: first of the whole address space, then at finer
//! resolutions where one entry merges distant allocations.

use std::collections::HashSet;

use syclscope_language::api::MemoryTile;
use syclscope_language::question::{MAX_LEVEL, MEMORY_ROWS, MemoryKey};

use super::axis::Region;

/// Difference between the resolutions of two steps, in powers of two: a tile has this power of two rows.
const STEP: u8 = 8;
/// Allocations merged in a bucket of this resolution count as neighbours.
const FINEST: u8 = 20;
/// Maximum number of tiles; beyond it, merged entries stay merged.
const MAX_TILES: usize = 400;

#[derive(Clone, Debug, Default)]
pub struct Survey {
    pending: Vec<MemoryKey>,
    keys: HashSet<MemoryKey>,
    under_way: usize,
    clusters: Vec<(u32, Region)>,
}

impl Survey {
    pub fn new(tracks: impl IntoIterator<Item = u32>) -> Self {
        let mut survey = Self::default();
        let height = u128::from(MEMORY_ROWS) << MAX_LEVEL;
        let tiles = ((1_u128 << 64) / height) as u64;
        for track in tracks {
            for address_index in 0..tiles {
                survey.want(track, MAX_LEVEL, address_index);
            }
        }
        survey
    }

    /// Returns the next tiles to request, up to the concurrency limit.
    pub fn start(&mut self, at_once: usize) -> Vec<MemoryKey> {
        let count = at_once.saturating_sub(self.under_way).min(self.pending.len());
        self.under_way += count;
        self.pending.split_off(self.pending.len() - count)
    }

    pub fn is_done(&self) -> bool {
        self.pending.is_empty() && self.under_way == 0
    }

    pub fn take(&mut self, key: MemoryKey, tile: &MemoryTile) {
        self.under_way = self.under_way.saturating_sub(1);
        let rows = tile.pointer.iter().zip(&tile.span_bytes).zip(&tile.count);
        for ((pointer, span_bytes), count) in rows {
            let found = Region { first: *pointer, end: pointer.saturating_add((*span_bytes).max(1)) };
            let is_exact = *count < 2 || found.bytes() <= 1 << FINEST || key.address_level <= FINEST;
            if is_exact || self.keys.len() >= MAX_TILES {
                self.clusters.push((key.track, found));
                continue;
            }
            let level = key.address_level - STEP.min(key.address_level);
            let height = MEMORY_ROWS << level;
            for index in found.first / height..=(found.end - 1) / height {
                self.want(key.track, level, index);
            }
        }
    }

    pub fn fail(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    pub fn clusters(&self) -> &[(u32, Region)] {
        &self.clusters
    }

    fn want(&mut self, track: u32, address_level: u8, address_index: u64) {
        let key = MemoryKey { track, level: MAX_LEVEL, index: 0, address_level, address_index };
        if self.keys.insert(key) {
            self.pending.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes a tile as an engine does: one entry for each bucket of addresses in which an allocation starts.
    fn tile(allocations: &[Region], key: MemoryKey) -> MemoryTile {
        let (lowest, highest) = key.span_bytes();
        let mut buckets: Vec<(u64, Region, u32)> = Vec::new();
        for one in allocations.iter().filter(|one| one.first < highest && one.end > lowest) {
            let bucket = one.first.max(lowest) >> key.address_level;
            match buckets.iter_mut().find(|(other, ..)| *other == bucket) {
                Some((_, bounds, count)) => {
                    bounds.first = bounds.first.min(one.first);
                    bounds.end = bounds.end.max(one.end);
                    *count += 1;
                }
                None => buckets.push((bucket, *one, 1)),
            }
        }
        MemoryTile {
            pointer: buckets.iter().map(|(_, bounds, _)| bounds.first).collect(),
            span_bytes: buckets.iter().map(|(_, bounds, _)| bounds.bytes()).collect(),
            count: buckets.iter().map(|(.., count)| *count).collect(),
            ..MemoryTile::default()
        }
    }

    #[test]
    fn allocations_that_lie_far_apart_are_told_apart() {
        let one = |first: u64, bytes| Region { first, end: first + bytes };
        let allocations = [
            one(0x5555_0000_0000, 40),
            one(0x7f00_0000_0000, 4096),
            one(0x7f00_0000_2000, 4096),
            one(0x7f00_4000_0000, 1 << 22),
            one(0xff00_0000_0000_0000, 4096),
        ];
        let mut survey = Survey::new([7]);
        let mut requests = 0;
        while !survey.is_done() {
            for key in survey.start(6) {
                requests += 1;
                survey.take(key, &tile(&allocations, key));
            }
        }
        let mut found: Vec<_> = survey.clusters().iter().map(|(_, cluster)| *cluster).collect();
        found.sort_unstable();
        found.dedup();
        let pair = one(0x7f00_0000_0000, 0x3000);
        assert_eq!(found, [allocations[0], pair, allocations[3], allocations[4]]);
        assert!(requests < 24, "{requests}");
    }

    #[test]
    fn only_so_many_are_asked_for_at_once() {
        let mut survey = Survey::new([1]);
        assert_eq!(survey.start(6).len(), 6);
        assert!(survey.start(6).is_empty() && !survey.is_done());
        survey.fail();
        assert_eq!(survey.start(6).len(), 1);
    }
}
