//! Tiles: what a view draws of one track at a resolution.

use serde::{Deserialize, Serialize};

use super::ObjectEventKind;
use crate::event::Category;

/// Slices of a track at a resolution, lane by lane.
///
/// A slice at least one bucket long stands alone with its real bounds. Shorter ones are merged with those of
/// the same lane that start in the same bucket: the longest stands for them with its real bounds, `count` says
/// how many there are and `total_ns` how long they are together. Nothing is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineTile {
    /// Names that the lanes index into.
    pub names: Vec<String>,
    /// One entry a lane, from the top; lanes without anything in the tile's span are empty.
    pub lanes: Vec<TileLane>,
}

/// One lane of a [`TimelineTile`]: columns of equal length, ordered by start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileLane {
    /// Real start of the slice shown.
    pub start_ns: Vec<u64>,
    /// Real duration of the slice shown.
    pub duration_ns: Vec<u64>,
    /// Its name, an index into [`TimelineTile::names`].
    pub name: Vec<u32>,
    /// Its category.
    pub category: Vec<Category>,
    /// Its id, to ask for details.
    pub slice: Vec<u32>,
    /// Slices that it stands for, itself included; 1 when it stands alone.
    pub count: Vec<u32>,
    /// Sum of the durations of the slices that it stands for.
    pub total_ns: Vec<u64>,
    /// Number of matching slices of each entry; empty without a filter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<u32>,
    /// Effect on the object; only in tiles of objects, whose slice is none of the trace's ([`NO_SLICE`]) if the event
    /// has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touch: Vec<ObjectEventKind>,
}

/// Stands for a slice where there is none.
pub const NO_SLICE: u32 = u32::MAX;

/// Samples of a counter at a resolution: one entry for each bucket that holds a sample, ordered, columns of
/// equal length. A counter keeps its value until the next sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CounterTile {
    /// The value when the tile's span begins (0 before the first sample).
    pub before: f64,
    /// Time of the first sample in the bucket.
    pub at_ns: Vec<u64>,
    /// Lowest sample in the bucket.
    pub min: Vec<f64>,
    /// Highest sample in the bucket.
    pub max: Vec<f64>,
    /// Last sample in the bucket.
    pub last: Vec<f64>,
    /// Mean over the bucket: each value weighs as long as it holds there, from the counter's first sample on.
    #[serde(default)]
    pub mean: Vec<f64>,
}

/// How busy a track is at a resolution: one entry for each bucket in which something is, ordered, columns of equal
/// length. Lanes of a queue count each; of other tracks the outermost lane only, which holds all the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DensityTile {
    /// Position of the bucket in the tile.
    pub bucket: Vec<u16>,
    /// Time of the bucket that slices take; more than its width where lanes of a queue overlap.
    pub busy_ns: Vec<u64>,
    /// Slices that start in the bucket.
    pub count: Vec<u32>,
    /// Category of the longest slice that overlaps the bucket; the first of equal ones.
    pub category: Vec<Category>,
    /// Of how many slices that a filter means the bucket holds a part; empty where none was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<u32>,
}

/// Allocations of one kind of memory as rectangles of address and time: columns of equal length, ordered by moment and
/// address.
///
/// An allocation at least as long as a bucket and as large as an address bucket stands alone with its real bounds. The
/// others are merged with those that begin in the same bucket of both: the bounds are those around all of them. What
/// reaches into the tile from before or from lower addresses counts as beginning at its edge, so that a tile shows at
/// most so many merged ones as it has places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryTile {
    /// Row of the allocation shown, the first of several.
    pub allocation: Vec<u32>,
    /// When the first of them is made.
    pub at_ns: Vec<u64>,
    /// When the last of them is released; the trace's end where one never is.
    pub until_ns: Vec<u64>,
    /// Lowest address.
    pub pointer: Vec<u64>,
    /// Bytes from there to the end of the highest.
    pub span_bytes: Vec<u64>,
    /// Number of allocations.
    pub count: Vec<u32>,
    /// Their bytes together.
    pub total_bytes: Vec<u64>,
}
