//! Tiles of memory: the tiles that a view needs, and stand-ins for missing ones.

use syclscope_language::api::MemoryTile;
use syclscope_language::question::{MAX_LEVEL, MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey};

use super::axis::Region;
use crate::data::cache::TileCache;
use crate::data::tile::Tile;

/// Maximum difference of levels for a stand-in, in time and in addresses.
const COARSER_LEVELS: u8 = 14;
/// Returns the tile itself, else the nearest coarser one that is loaded.
pub fn best(tiles: &TileCache, key: MemoryKey) -> Option<&MemoryTile> {
    let get = |key: MemoryKey| match tiles.get(key)? {
        Tile::Memory(tile) => Some(tile),
        _ => None,
    };
    // Nearest means the smallest sum of both differences.
    get(key).or_else(|| {
        (1..=2 * COARSER_LEVELS).find_map(|sum| {
            (0..=sum.min(COARSER_LEVELS)).find_map(|step| get(coarser(key, step, sum - step)?))
        })
    })
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

    fn tile(rows: usize) -> Tile {
        Tile::Memory(MemoryTile { pointer: vec![0; rows], ..MemoryTile::default() })
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
        let mut tiles = TileCache::new(1 << 20);
        let rows = |tiles: &TileCache| best(tiles, key(2, 5, 4, 9)).map(|tile| tile.pointer.len());
        assert_eq!(rows(&tiles), None);
        tiles.insert(key(10, 0, 10, 0), tile(1));
        tiles.insert(key(3, 2, 6, 2), tile(2));
        assert_eq!(rows(&tiles), Some(2));
        tiles.insert(key(2, 5, 4, 9), tile(3));
        assert_eq!(rows(&tiles), Some(3));
    }
}
