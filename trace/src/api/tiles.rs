//! Tiles: what a view draws of one track at a resolution.

use serde::{Deserialize, Serialize};

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
}

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
}
