//! Tile cache, capped by bytes; the least recently drawn tiles are evicted. A coarser or finer tile is drawn while one
//! is loading.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use syclscope_language::question::{MAX_LEVEL, MemoryKey, TileKey};

use crate::data::tile::Tile;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of levels by which a stand-in may be finer; each level doubles the drawing work.
const FINER_LEVELS: u8 = 3;

#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    pub tile: &'a Tile,
    pub bucket_ns: u64,
    pub tile_ns: u64,
    pub span_ns: (u64, u64),
    /// Serial number of the tile, unique in the cache.
    pub serial: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Time(TileKey),
    Memory(MemoryKey),
}

impl From<TileKey> for Key {
    fn from(key: TileKey) -> Self {
        Self::Time(key)
    }
}

impl From<MemoryKey> for Key {
    fn from(key: MemoryKey) -> Self {
        Self::Memory(key)
    }
}

#[derive(Debug)]
struct Entry {
    tile: Tile,
    serial: u64,
    cost_bytes: usize,
    used: Cell<u64>,
}

impl Entry {
    fn piece(&self, key: TileKey, span_ns: (u64, u64)) -> Piece<'_> {
        let (tile_ns, _) = key.span_ns();
        Piece { tile: &self.tile, bucket_ns: key.bucket_ns(), tile_ns, span_ns, serial: self.serial }
    }
}

/// Tiles of one trace. It is compiled once for all kinds of keys.
#[derive(Debug)]
pub struct TileCache {
    entries: HashMap<Key, Entry>,
    loading: HashSet<Key>,
    failed: HashMap<Key, String>,
    cost_bytes: usize,
    capacity_bytes: usize,
    clock: u64,
    serial: u64,
}

impl TileCache {
    pub fn new(capacity_bytes: usize) -> Self {
        Self {
            entries: HashMap::new(),
            loading: HashSet::new(),
            failed: HashMap::new(),
            cost_bytes: 0,
            capacity_bytes,
            clock: 0,
            serial: 0,
        }
    }

    /// Starts a frame: tiles drawn in it count as just used.
    pub fn begin_frame(&mut self) {
        self.clock += 1;
    }

    pub fn get(&self, key: impl Into<Key>) -> Option<&Tile> {
        self.entry(key.into()).map(|entry| &entry.tile)
    }

    fn entry(&self, key: Key) -> Option<&Entry> {
        let entry = self.entries.get(&key)?;
        entry.used.set(self.clock);
        Some(entry)
    }

    /// Returns the best available tiles for a tile's range, by time: the tile itself, else finer ones, else the nearest
    /// coarser one. Ranges without data are left out.
    pub fn pieces(&self, key: TileKey) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        self.collect(key, FINER_LEVELS, &mut pieces);
        pieces
    }

    fn collect<'a>(&'a self, key: TileKey, finer: u8, pieces: &mut Vec<Piece<'a>>) {
        if let Some(entry) = self.entry(key.into()) {
            pieces.push(entry.piece(key, key.span_ns()));
        } else if self.has_finer(key, finer) {
            for child in children(key) {
                self.collect(child, finer - 1, pieces);
            }
        } else if let Some((coarser, entry)) = self.coarser(key) {
            pieces.push(entry.piece(coarser, key.span_ns()));
        }
    }

    fn has_finer(&self, key: TileKey, levels: u8) -> bool {
        levels > 0
            && key.level > 0
            && children(key)
                .into_iter()
                .any(|child| self.entries.contains_key(&child.into()) || self.has_finer(child, levels - 1))
    }

    fn coarser(&self, key: TileKey) -> Option<(TileKey, &Entry)> {
        (key.level + 1..=MAX_LEVEL)
            .map(|level| TileKey { level, index: key.index >> (level - key.level).min(63), ..key })
            .find_map(|coarser| Some((coarser, self.entry(coarser.into())?)))
    }

    /// Returns the first wanted tiles that are neither loaded, failed nor loading, up to the concurrency
    /// limit, and marks them as loading.
    pub fn start_loading<K: Copy + Into<Key>>(&mut self, keys: &[K], at_once: usize) -> Vec<K> {
        let mut started = Vec::new();
        for key in keys {
            if self.loading.len() >= at_once {
                break;
            }
            let name = (*key).into();
            if !self.is_settled(name) && self.loading.insert(name) {
                started.push(*key);
            }
        }
        started
    }

    /// True if all of these are loaded or have failed.
    pub fn all_settled(&self, keys: &[TileKey]) -> bool {
        keys.iter().all(|key| self.is_settled((*key).into()))
    }

    pub fn is_loading(&self) -> bool {
        !self.loading.is_empty()
    }

    fn is_settled(&self, key: Key) -> bool {
        self.entries.contains_key(&key) || self.failed.contains_key(&key)
    }

    /// Adds a loaded tile and evicts others if needed, but never the last frame's.
    pub fn insert(&mut self, key: impl Into<Key>, tile: Tile) {
        self.put(key.into(), tile);
    }

    fn put(&mut self, key: Key, tile: Tile) {
        self.loading.remove(&key);
        self.failed.remove(&key);
        let cost_bytes = tile.cost_bytes();
        self.cost_bytes += cost_bytes;
        self.serial += 1;
        let entry = Entry { tile, serial: self.serial, cost_bytes, used: Cell::new(self.clock) };
        if let Some(old) = self.entries.insert(key, entry) {
            self.cost_bytes -= old.cost_bytes;
        }
        if self.cost_bytes > self.capacity_bytes {
            self.evict();
        }
    }

    pub fn fail(&mut self, key: impl Into<Key>, message: String) {
        let key = key.into();
        self.loading.remove(&key);
        self.failed.insert(key, message);
    }

    /// Returns the number of failed tiles, with one of the reasons.
    pub fn failure(&self) -> Option<(usize, &str)> {
        let (_, message) = self.failed.iter().min_by_key(|(key, _)| **key)?;
        Some((self.failed.len(), message))
    }

    pub fn retry(&mut self) {
        self.failed.clear();
    }

    pub fn cost_bytes(&self) -> usize {
        self.cost_bytes
    }

    fn evict(&mut self) {
        let mut by_use: Vec<(u64, Key)> =
            self.entries.iter().map(|(key, entry)| (entry.used.get(), *key)).collect();
        by_use.arrange();
        // Evict a little more than needed, so that not every insert evicts.
        let goal_bytes = self.capacity_bytes / 10 * 9;
        for (used, key) in by_use {
            if self.cost_bytes <= goal_bytes || used >= self.clock {
                break;
            }
            if let Some(entry) = self.entries.remove(&key) {
                self.cost_bytes -= entry.cost_bytes;
            }
        }
    }
}

fn children(key: TileKey) -> [TileKey; 2] {
    let level = key.level.saturating_sub(1);
    let index = key.index.saturating_mul(2);
    [TileKey { level, index, ..key }, TileKey { level, index: index.saturating_add(1), ..key }]
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{CounterTile, TimelineTile};
    use syclscope_language::question::TileView;

    use super::*;

    fn key(level: u8, index: u64) -> TileKey {
        TileKey { view: TileView::Counter, track: 1, level, index }
    }

    fn tile(samples: usize) -> Tile {
        Tile::Counter(CounterTile { at_ns: vec![0; samples], ..CounterTile::default() })
    }

    fn spans(cache: &TileCache, keys: TileKey) -> Vec<(u64, (u64, u64))> {
        cache.pieces(keys).iter().map(|piece| (piece.bucket_ns, piece.span_ns)).collect()
    }

    #[test]
    fn a_coarser_tile_stands_in_and_the_exact_one_replaces_it() {
        let mut cache = TileCache::new(1 << 20);
        assert!(spans(&cache, key(3, 5)).is_empty());
        cache.insert(key(6, 0), tile(1));
        assert_eq!(spans(&cache, key(3, 5)), [(64, key(3, 5).span_ns())]);
        cache.insert(key(3, 5), tile(1));
        assert_eq!(spans(&cache, key(3, 5)), [(8, key(3, 5).span_ns())]);
    }

    #[test]
    fn finer_tiles_stand_in_where_they_are_and_coarser_ones_fill_the_rest() {
        let mut cache = TileCache::new(1 << 20);
        cache.insert(key(2, 1), tile(1));
        assert_eq!(spans(&cache, key(3, 0)), [(4, key(2, 1).span_ns())]);
        cache.insert(key(5, 0), tile(1));
        assert_eq!(spans(&cache, key(3, 0)), [(32, key(2, 0).span_ns()), (4, key(2, 1).span_ns())]);
    }

    #[test]
    fn only_so_many_load_at_once_and_none_twice() {
        let mut cache = TileCache::new(1 << 20);
        let keys: Vec<TileKey> = (0..5).map(|index| key(0, index)).collect();
        assert_eq!(cache.start_loading(&keys, 3), keys[..3]);
        assert!(cache.start_loading(&keys, 3).is_empty());
        cache.insert(keys[0], tile(1));
        cache.fail(keys[1], "gone".into());
        assert_eq!(cache.start_loading(&keys, 3), keys[3..]);
        assert_eq!(cache.failure(), Some((1, "gone")));
        cache.retry();
        assert_eq!(cache.start_loading(&keys, 9), [keys[1]]);
    }

    #[test]
    fn the_least_recently_drawn_leave_first_and_what_is_on_screen_stays() {
        let mut cache = TileCache::new(10_000);
        for index in 0..4 {
            cache.begin_frame();
            cache.insert(key(0, index), tile(50));
        }
        cache.begin_frame();
        assert!(cache.get(key(0, 0)).is_some());
        for index in 4..12 {
            cache.insert(key(0, index), tile(50));
        }
        assert!(cache.get(key(0, 0)).is_some(), "drawn in this frame");
        assert!(cache.get(key(0, 1)).is_none());
        assert!(cache.cost_bytes() > 10_000, "tiles of this frame stay even above the cap");
        cache.begin_frame();
        cache.insert(key(0, 20), tile(50));
        assert!(cache.cost_bytes() <= 10_000);
    }

    #[test]
    fn cost_follows_content() {
        assert!(tile(100).cost_bytes() > tile(10).cost_bytes());
        assert!(Tile::Timeline(TimelineTile::default()).cost_bytes() > 0);
    }
}
