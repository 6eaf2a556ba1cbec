//! A loaded tile of any kind, and its memory cost.

use syclscope_language::api::{CounterTile, DensityTile, MemoryTile, TimelineTile};

/// An answer to one [`TileKey`](syclscope_language::question::TileKey), or to one
/// [`MemoryKey`](syclscope_language::question::MemoryKey).
#[derive(Clone, Debug, PartialEq)]
pub enum Tile {
    Timeline(TimelineTile),
    Counter(CounterTile),
    Density(DensityTile),
    Memory(MemoryTile),
}

impl Tile {
    pub fn cost_bytes(&self) -> usize {
        match self {
            Self::Timeline(tile) => {
                let names: usize = tile.names.iter().map(|name| name.len() + 24).sum();
                let slices: usize = tile.lanes.iter().map(|lane| lane.start_ns.len()).sum();
                let optional: usize =
                    tile.lanes.iter().map(|lane| lane.matching.len() * 4 + lane.touch.len()).sum();
                // Three columns of 8 bytes, three of 4, one of 1.
                128 + names + tile.lanes.len() * 168 + slices * 37 + optional
            }
            Self::Counter(tile) => 128 + tile.at_ns.len() * 40,
            Self::Density(tile) => 128 + tile.bucket.len() * 15 + tile.matching.len() * 4,
            Self::Memory(tile) => 128 + tile.pointer.len() * 50,
        }
    }
}
