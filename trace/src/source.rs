//! What a view asks of a trace, wherever the trace is: [`TraceSource`], and the names of tiles.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::api::{CounterTile, SliceDetail, SourceText, TimelineTile, TraceInfo};

/// Buckets in one tile: a tile of level L spans `TILE_BUCKETS << L` nanoseconds.
pub const TILE_BUCKETS: u64 = 1024;

/// The highest level: one tile of it spans more than 2^60 ns (36 years).
pub const MAX_LEVEL: u8 = 52;

/// Which kind of tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TileView {
    /// Slices of a track ([`TimelineTile`]).
    Timeline,
    /// Samples of a counter track ([`CounterTile`]).
    Counter,
}

/// The name of a tile, `view/track/level/index`: the same text in a URL, a cache key and an archive path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TileKey {
    /// Kind of tile.
    pub view: TileView,
    /// Track, an index into [`TraceInfo::tracks`].
    pub track: u32,
    /// Resolution: a bucket is 2^level nanoseconds wide.
    pub level: u8,
    /// Position: the tile covers `[index, index + 1) * (TILE_BUCKETS << level)` nanoseconds.
    pub index: u64,
}

impl TileKey {
    /// Width of a bucket in nanoseconds.
    pub fn bucket_ns(&self) -> u64 {
        1 << self.level.min(MAX_LEVEL)
    }

    /// The tile's span `[start, end)` in nanoseconds since trace start; saturates at the end of time.
    pub fn span_ns(&self) -> (u64, u64) {
        let width = TILE_BUCKETS << self.level.min(MAX_LEVEL);
        let start = self.index.saturating_mul(width);
        (start, start.saturating_add(width))
    }
}

impl fmt::Display for TileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let view = match self.view {
            TileView::Timeline => "timeline",
            TileView::Counter => "counter",
        };
        write!(f, "{view}/{}/{}/{}", self.track, self.level, self.index)
    }
}

/// Why a text is not the name of a tile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a tile name: {0} (expected view/track/level/index with view timeline or counter, level 0 to {MAX_LEVEL})"
)]
pub struct TileKeyError(pub String);

impl FromStr for TileKey {
    type Err = TileKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let mut parts = text.split('/');
            let view = match parts.next()? {
                "timeline" => TileView::Timeline,
                "counter" => TileView::Counter,
                _ => return None,
            };
            let track = parts.next()?.parse().ok()?;
            let level = parts.next()?.parse().ok().filter(|level| *level <= MAX_LEVEL)?;
            let index = parts.next()?.parse().ok()?;
            parts.next().is_none().then_some(Self { view, track, level, index })
        };
        parse().ok_or_else(|| TileKeyError(text.to_owned()))
    }
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The track does not exist or is not of the kind asked for.
    #[error("the trace has no such track: {0}")]
    NoTrack(u32),
    /// The slice does not exist.
    #[error("the trace has no such slice: {0}")]
    NoSlice(u32),
    /// The source file does not exist.
    #[error("the trace has no such source file: {0}")]
    NoSource(u32),
}

/// A trace that answers queries: the store itself, or a server that holds it.
pub trait TraceSource {
    /// What is known before anything is drawn: tracks, queues, kernels, problems.
    fn info(&self) -> TraceInfo;

    /// The slices of a track at a resolution.
    ///
    /// # Errors
    /// When the track does not exist or holds no slices.
    fn timeline_tile(&self, key: TileKey) -> Result<TimelineTile, QueryError>;

    /// The samples of a counter track at a resolution.
    ///
    /// # Errors
    /// When the track does not exist or is not a counter.
    fn counter_tile(&self, key: TileKey) -> Result<CounterTile, QueryError>;

    /// Everything known of one slice.
    ///
    /// # Errors
    /// When the slice does not exist.
    fn slice(&self, slice: u32) -> Result<SliceDetail, QueryError>;

    /// The text of a source file, an index into [`TraceInfo::sources`].
    ///
    /// # Errors
    /// When the file does not exist.
    fn source_text(&self, source: u32) -> Result<SourceText, QueryError>;
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
    fn spans_saturate() {
        let key = TileKey { view: TileView::Counter, track: 0, level: MAX_LEVEL, index: u64::MAX };
        assert_eq!(key.span_ns().1, u64::MAX);
    }
}
