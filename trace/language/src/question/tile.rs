//! Names of tiles.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Buckets per tile: a tile of level L spans `TILE_BUCKETS << L` nanoseconds.
pub const TILE_BUCKETS: u64 = 1024;

/// The highest level, at which one tile spans 2^62 ns (146 years).
pub const MAX_LEVEL: u8 = 52;

answer_words! {
    /// Kind of a tile.
    TileView {
        /// Slices of a track ([`TimelineTile`](crate::api::TimelineTile)).
        Timeline = "timeline",
        /// Samples of a counter track ([`CounterTile`](crate::api::CounterTile)).
        Counter = "counter",
        /// Activity of a track ([`DensityTile`](crate::api::DensityTile)).
        Density = "density",
        /// Executions of a kernel on all queues ([`TimelineTile`](crate::api::TimelineTile)); the track is the kernel's
        /// index in [`TraceInfo::kernels`](crate::api::TraceInfo::kernels).
        Kernel = "kernel",
        /// Samples of a counter derived from the commands ([`CounterTile`](crate::api::CounterTile)); the track is its
        /// index in the answer to [`Question::Activity`](super::Question::Activity).
        Activity = "activity",
        /// History of a buffer, an image or a USM allocation ([`TimelineTile`](crate::api::TimelineTile)); the track is
        /// the object's id, as in the answer to [`Question::Objects`](super::Question::Objects).
        Object = "object",
    }
}

/// The name of a tile, `view/track/level/index`. The same text is used in URLs, cache keys and archive paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TileKey {
    /// Kind of tile.
    pub view: TileView,
    /// Track, an index into [`TraceInfo::tracks`](crate::api::TraceInfo::tracks).
    pub track: u32,
    /// Resolution: a bucket is 2^level nanoseconds wide.
    pub level: u8,
    /// Position: the tile covers `[index, index + 1) * (TILE_BUCKETS << level)` nanoseconds.
    pub index: u64,
}

impl TileKey {
    /// Returns the width of a bucket in nanoseconds.
    pub fn bucket_ns(&self) -> u64 {
        1 << self.level.min(MAX_LEVEL)
    }

    /// Returns the tile's time `[start, end)` in nanoseconds since the trace's start, clamped to the maximum time.
    pub fn span_ns(&self) -> (u64, u64) {
        let width = TILE_BUCKETS << self.level.min(MAX_LEVEL);
        let start = self.index.saturating_mul(width);
        (start, start.saturating_add(width))
    }
}

impl fmt::Display for TileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let view = self.view.as_str();
        write!(f, "{view}/{}/{}/{}", self.track, self.level, self.index)
    }
}

/// Buckets of time in one memory tile: fewer than in other tiles, since each has many rows.
pub const MEMORY_BUCKETS: u64 = 512;

/// Address buckets in one memory tile: a tile of address level L spans `MEMORY_ROWS << L` bytes.
pub const MEMORY_ROWS: u64 = 256;

/// The name of a memory tile, `track/level/index/address_level/address_index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MemoryKey {
    /// Track of the counter of one kind of memory, an index into [`TraceInfo::tracks`](crate::api::TraceInfo::tracks).
    pub track: u32,
    /// Resolution in time: a bucket is 2^level nanoseconds wide.
    pub level: u8,
    /// Position in time: the tile covers `[index, index + 1) * (MEMORY_BUCKETS << level)` nanoseconds.
    pub index: u64,
    /// Resolution in addresses: a bucket is 2^level bytes high.
    pub address_level: u8,
    /// Position: the tile covers `[index, index + 1) * (MEMORY_ROWS << address_level)` bytes of the address space.
    pub address_index: u64,
}

impl MemoryKey {
    /// Returns the width of a bucket in nanoseconds.
    pub fn bucket_ns(&self) -> u64 {
        1 << self.level.min(MAX_LEVEL)
    }

    /// Returns the tile's time `[start, end)`, clamped to the maximum time.
    pub fn span_ns(&self) -> (u64, u64) {
        let width = MEMORY_BUCKETS << self.level.min(MAX_LEVEL);
        let start = self.index.saturating_mul(width);
        (start, start.saturating_add(width))
    }

    /// Returns the height of a bucket in bytes.
    pub fn bucket_bytes(&self) -> u64 {
        1 << self.address_level.min(MAX_LEVEL)
    }

    /// Returns the tile's addresses `[start, end)`, clamped to the maximum address.
    pub fn span_bytes(&self) -> (u64, u64) {
        let height = MEMORY_ROWS << self.address_level.min(MAX_LEVEL);
        let start = self.address_index.saturating_mul(height);
        (start, start.saturating_add(height))
    }
}

impl fmt::Display for MemoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { track, level, index, address_level, address_index } = self;
        write!(f, "{track}/{level}/{index}/{address_level}/{address_index}")
    }
}

impl FromStr for MemoryKey {
    type Err = TileKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let mut parts = text.split('/');
            let mut number = || parts.next()?.parse::<u64>().ok();
            let (track, level, index, address_level, address_index) =
                (number()?, number()?, number()?, number()?, number()?);
            let level_of = |level| u8::try_from(level).ok().filter(|level| *level <= MAX_LEVEL);
            let (track, level, address_level) =
                (track.try_into().ok()?, level_of(level)?, level_of(address_level)?);
            let key = Self { track, level, index, address_level, address_index };
            parts.next().is_none().then_some(key)
        };
        parse().ok_or_else(|| TileKeyError(text.to_owned()))
    }
}

/// Parse error of a tile name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a tile name: {0} (expected view/track/level/index with view timeline, counter, density, kernel, activity or object, level 0 to {MAX_LEVEL})"
)]
pub struct TileKeyError(pub String);

impl FromStr for TileKey {
    type Err = TileKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let mut parts = text.split('/');
            let view = TileView::from_word(parts.next()?)?;
            let track = parts.next()?.parse().ok()?;
            let level = parts.next()?.parse().ok().filter(|level| *level <= MAX_LEVEL)?;
            let index = parts.next()?.parse().ok()?;
            parts.next().is_none().then_some(Self { view, track, level, index })
        };
        parse().ok_or_else(|| TileKeyError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tile_names_round_trip() {
        let key = TileKey { view: TileView::Timeline, track: 7, level: 20, index: 3 };
        assert_eq!(key.to_string(), "timeline/7/20/3");
        assert_eq!("timeline/7/20/3".parse(), Ok(key));
        for bad in ["", "timeline", "timeline/1/53/0", "timeline/1/2/3/4", "timeline/-1/2/3", "graph/1/2/3"] {
            assert!(bad.parse::<TileKey>().is_err(), "{bad}");
        }
    }

    #[test]
    fn names_of_memory_tiles_round_trip() {
        let key = MemoryKey { track: 7, level: 20, index: 3, address_level: 12, address_index: u64::MAX };
        assert_eq!(key.to_string().parse(), Ok(key));
        for bad in ["", "1/2/3/4", "1/2/3/53/5", "1/2/3/4/5/6", "1/2/3/4/-5", "4294967296/2/3/4/5"] {
            assert!(bad.parse::<MemoryKey>().is_err(), "{bad}");
        }
        assert_eq!(key.span_bytes().1, u64::MAX);
    }

    #[test]
    fn spans_saturate() {
        let key = TileKey { view: TileView::Counter, track: 0, level: MAX_LEVEL, index: u64::MAX };
        assert_eq!(key.span_ns().1, u64::MAX);
    }
}
