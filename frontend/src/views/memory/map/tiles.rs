//! Tiles of memory: which ones a view needs, and those that are here. A coarser one stands in for one that is not.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use syclscope_language::api::MemoryTile;
use syclscope_language::question::{MAX_LEVEL, MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey};

use super::axis::Region;

/// How much coarser a stand-in may be, in time and in addresses.
const COARSER_LEVELS: u8 = 14;
/// Entries of tiles that are kept, all together; each takes about 50 bytes.
const MOST_ENTRIES: usize = 400_000;

#[derive(Debug, Default)]
pub struct MapTiles {
    tiles: HashMap<MemoryKey, (MemoryTile, Cell<u64>)>,
    loading: HashSet<MemoryKey>,
    failed: HashMap<MemoryKey, String>,
    entries: usize,
    clock: u64,
}

impl MapTiles {
    /// Starts a frame: tiles that it draws count as used now.
    pub fn begin_frame(&mut self) {
        self.clock += 1;
    }

    /// The tile itself, else the nearest coarser one.
    pub fn best(&self, key: MemoryKey) -> Option<&MemoryTile> {
        if let Some(tile) = self.get(key) {
            return Some(tile);
        }
        // The nearest is that with the smallest sum of both steps.
        (1..=2 * COARSER_LEVELS).find_map(|sum| {
            (0..=sum.min(COARSER_LEVELS)).find_map(|step| self.get(coarser(key, step, sum - step)?))
        })
    }

    fn get(&self, key: MemoryKey) -> Option<&MemoryTile> {
        let (tile, used) = self.tiles.get(&key)?;
        used.set(self.clock);
        Some(tile)
    }

    /// The first of the wanted tiles that are neither here, nor failed, nor on their way, as many as may be loaded at
    /// once; they count as loading from now on.
    pub fn start_loading(&mut self, wanted: &[MemoryKey], at_once: usize) -> Vec<MemoryKey> {
        let mut started = Vec::new();
        for key in wanted {
            if self.loading.len() >= at_once {
                break;
            }
            let is_settled = self.tiles.contains_key(key) || self.failed.contains_key(key);
            if !is_settled && self.loading.insert(*key) {
                started.push(*key);
            }
        }
        started
    }

    /// Takes a tile; others may have to leave for it, but the last frame's stay.
    pub fn insert(&mut self, key: MemoryKey, tile: MemoryTile) {
        self.loading.remove(&key);
        self.entries += tile.pointer.len();
        if let Some((old, _)) = self.tiles.insert(key, (tile, Cell::new(self.clock))) {
            self.entries -= old.pointer.len();
        }
        if self.entries > MOST_ENTRIES {
            let clock = self.clock;
            self.tiles.retain(|_, (_, used)| used.get() >= clock);
            self.entries = self.tiles.values().map(|(tile, _)| tile.pointer.len()).sum();
        }
    }

    /// Notes that a tile can't be had.
    pub fn fail(&mut self, key: MemoryKey, message: String) {
        self.loading.remove(&key);
        self.failed.insert(key, message);
    }

    /// How many could not be loaded, with one of the reasons.
    pub fn failure(&self) -> Option<(usize, &str)> {
        let (_, message) = self.failed.iter().min_by_key(|(key, _)| **key)?;
        Some((self.failed.len(), message))
    }

    /// Forgets failures, so that the tiles are asked for again.
    pub fn retry(&mut self) {
        self.failed.clear();
    }

    /// Whether anything is on its way.
    pub fn is_loading(&self) -> bool {
        !self.loading.is_empty()
    }
}

fn coarser(key: MemoryKey, time: u8, address: u8) -> Option<MemoryKey> {
    if time > COARSER_LEVELS || address > COARSER_LEVELS {
        return None;
    }
    let (level, address_level) = (key.level + time, key.address_level + address);
    (level <= MAX_LEVEL && address_level <= MAX_LEVEL).then_some(MemoryKey {
        level,
        index: key.index >> time,
        address_level,
        address_index: key.address_index >> address,
        ..key
    })
}

/// The tiles of a track that cover a span of time and of addresses.
pub fn covering(
    track: u32,
    (level, address_level): (u8, u8),
    (start_ns, end_ns): (f64, f64),
    addresses: Region,
    duration_ns: u64,
) -> impl Iterator<Item = MemoryKey> {
    let width_ns = MEMORY_BUCKETS << level;
    let height = MEMORY_ROWS << address_level;
    let end_ns = (end_ns.max(0.0) as u64).min(duration_ns);
    let first = (start_ns.max(0.0) as u64).min(duration_ns) / width_ns;
    let last = (end_ns / width_ns).max(first);
    let rows = addresses.first / height..=addresses.end.saturating_sub(1).max(addresses.first) / height;
    rows.flat_map(move |address_index| {
        (first..=last).map(move |index| MemoryKey { track, level, index, address_level, address_index })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(level: u8, index: u64, address_level: u8, address_index: u64) -> MemoryKey {
        MemoryKey { track: 1, level, index, address_level, address_index }
    }

    fn tile(rows: usize) -> MemoryTile {
        MemoryTile { pointer: vec![0; rows], ..MemoryTile::default() }
    }

    #[test]
    fn tiles_cover_what_is_seen() {
        let region = Region { first: 0x1000, end: 0x1300 };
        let keys: Vec<_> = covering(1, (0, 0), (1_000.0, 2_000.0), region, 10_000).collect();
        assert_eq!(keys.len(), 3 * 3);
        assert_eq!((keys[0], keys[8]), (key(0, 1, 0, 0x10), key(0, 3, 0, 0x12)));
        let late: Vec<_> = covering(1, (0, 10), (9_000.0, 1e9), region, 9_100).collect();
        assert_eq!(late, [key(0, 17, 10, 0)]);
    }

    #[test]
    fn a_coarser_tile_stands_in() {
        let mut tiles = MapTiles::default();
        assert!(tiles.best(key(2, 5, 4, 9)).is_none());
        tiles.insert(key(10, 0, 10, 0), tile(1));
        tiles.insert(key(3, 2, 6, 2), tile(2));
        assert_eq!(tiles.best(key(2, 5, 4, 9)).map(|tile| tile.pointer.len()), Some(2));
        tiles.insert(key(2, 5, 4, 9), tile(3));
        assert_eq!(tiles.best(key(2, 5, 4, 9)).map(|tile| tile.pointer.len()), Some(3));
    }

    #[test]
    fn each_is_loaded_once_and_failures_are_told() {
        let mut tiles = MapTiles::default();
        let wanted = [key(0, 0, 0, 0), key(0, 1, 0, 0), key(0, 2, 0, 0)];
        assert_eq!(tiles.start_loading(&wanted, 2), wanted[..2]);
        assert!(tiles.start_loading(&wanted, 2).is_empty() && tiles.is_loading());
        tiles.insert(wanted[0], tile(1));
        tiles.fail(wanted[1], "gone".into());
        assert_eq!(tiles.start_loading(&wanted, 2), wanted[2..]);
        assert_eq!(tiles.failure(), Some((1, "gone")));
        tiles.retry();
        assert_eq!(tiles.start_loading(&wanted, 9), [wanted[1]]);
    }

    #[test]
    fn what_the_last_frame_did_not_draw_leaves_first() {
        let mut tiles = MapTiles::default();
        tiles.insert(key(0, 0, 0, 0), tile(MOST_ENTRIES / 2));
        tiles.begin_frame();
        tiles.insert(key(0, 1, 0, 0), tile(MOST_ENTRIES / 2));
        tiles.insert(key(0, 2, 0, 0), tile(2));
        assert!(tiles.get(key(0, 0, 0, 0)).is_none());
        assert!(tiles.get(key(0, 1, 0, 0)).is_some());
    }
}
