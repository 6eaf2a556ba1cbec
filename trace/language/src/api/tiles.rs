//! Tiles: the content of one track at a resolution.

use serde::{Deserialize, Serialize};

use super::ObjectEventKind;
use crate::event::Category;

/// Slices of a track at a resolution, lane by lane.
///
/// A slice at least one bucket long is an entry of its own with its real bounds. Shorter slices of one lane that start
/// in one bucket are merged: the longest represents them with its real bounds, `count` is their number and `total_ns`
/// their total duration. Nothing is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineTile {
    /// Names referred to by the lanes.
    pub names: Vec<String>,
    /// One entry per lane, from the top; lanes without slices in the tile's range are empty.
    pub lanes: Vec<TileLane>,
}

/// One lane of a [`TimelineTile`]: columns of equal length, ordered by start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileLane {
    /// Real start of the displayed slice.
    pub start_ns: Vec<u64>,
    /// Real duration of the displayed slice.
    pub duration_ns: Vec<u64>,
    /// Its name, an index into [`TimelineTile::names`].
    pub name: Vec<u32>,
    /// Its category.
    pub category: Vec<Category>,
    /// Its id, for queries about it.
    pub slice: Vec<u32>,
    /// Number of slices that it represents, including itself.
    pub count: Vec<u32>,
    /// Total duration of the slices that it represents.
    pub total_ns: Vec<u64>,
    /// Number of matching slices of each entry; empty without a filter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<u32>,
    /// Effect on the object; only in tiles of objects, whose slice is [`NO_SLICE`] if the event has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touch: Vec<ObjectEventKind>,
}

/// Represents a missing slice.
pub const NO_SLICE: u32 = u32::MAX;

/// Samples of a counter at a resolution: one entry for each bucket with a sample, in order, as columns of equal length.
/// A counter keeps its value until the next sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CounterTile {
    /// The value at the start of the tile (0 before the first sample).
    pub before: f64,
    /// Time of the first sample in the bucket.
    pub at_ns: Vec<u64>,
    /// Lowest sample in the bucket.
    pub min: Vec<f64>,
    /// Highest sample in the bucket.
    pub max: Vec<f64>,
    /// Last sample in the bucket.
    pub last: Vec<f64>,
    /// Time-weighted mean over the bucket, from the counter's first sample on.
    #[serde(default)]
    pub mean: Vec<f64>,
}

/// Density of a track at a resolution: one entry for each non-empty bucket, in order, as columns of equal length. On a
/// queue, each lane counts; on other tracks only the outermost lane, which encloses all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DensityTile {
    /// Index of the bucket in the tile.
    pub bucket: Vec<u16>,
    /// Time of the bucket covered by slices; more than its width if lanes of a queue overlap.
    pub busy_ns: Vec<u64>,
    /// Number of slices that start in the bucket.
    pub count: Vec<u32>,
    /// Category of the longest slice that overlaps the bucket; the first of equal ones.
    pub category: Vec<Category>,
    /// Number of slices matching a filter that overlap the bucket; empty without a filter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<u32>,
}

/// Allocations of one kind of memory as rectangles of address and time: columns of equal length, ordered by time and
/// address.
///
/// An allocation at least as long as a bucket and as large as an address bucket is an entry of its own with its real
/// bounds. Other allocations that start in one bucket of time and address are merged: the bounds enclose all of them.
/// An allocation that reaches into the tile from earlier or from lower addresses counts as starting at its edge, so
/// that a tile has at most one merged entry per cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryTile {
    /// Row of the displayed allocation, the first of several.
    pub allocation: Vec<u32>,
    /// Time of the first allocation.
    pub at_ns: Vec<u64>,
    /// Time of the last release; the trace's end if one is never released.
    pub until_ns: Vec<u64>,
    /// Lowest address.
    pub pointer: Vec<u64>,
    /// Bytes from `pointer` to the highest end address.
    pub span_bytes: Vec<u64>,
    /// Number of allocations.
    pub count: Vec<u32>,
    /// Their total size.
    pub total_bytes: Vec<u64>,
}
