//! Selections: some slices, summed up, listed and searched.

use serde::{Deserialize, Serialize};

use super::flat::read_flat;
use super::{LocationInfo, SliceRef};
use crate::event::{Category, NodeKind};

/// Numbers of some slices. A mean is cut to whole nanoseconds; of no slices all are 0.
///
/// A percentile is the shortest duration that so many of 100 slices don't exceed (nearest rank).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceStats {
    /// Slices.
    pub count: u64,
    /// Their durations together, whole.
    pub total_ns: u64,
    /// The parts of their durations that lie in the range, together.
    pub clipped_ns: u64,
    /// Their self time together: durations (whole) without the slices on the next lane of the same track that lie within
    /// them. On a queue's track, where lanes hold what overlaps, all of it is their own.
    pub self_ns: u64,
    /// Mean duration.
    pub mean_ns: u64,
    /// Shortest duration.
    pub min_ns: u64,
    /// Longest duration.
    pub max_ns: u64,
    /// Duration that half of them don't exceed.
    pub p50_ns: u64,
    /// Duration that 95 of 100 don't exceed.
    pub p95_ns: u64,
    /// Duration that 99 of 100 don't exceed.
    pub p99_ns: u64,
    /// Distribution of durations.
    pub histogram: Histogram,
}

/// How often which durations: `counts[i]` are those of bucket `first + i`. Bucket 0 holds 0 ns, bucket b from 2^(b-1) to
/// below 2^b ns. Begins and ends with a bucket that holds something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// First bucket.
    pub first: u32,
    /// Slices in it and in those that follow.
    pub counts: Vec<u64>,
}

/// Slices of one name, category and kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatSliceGroup")]
pub struct SliceGroup {
    /// Their name.
    pub name: String,
    /// Their category.
    pub category: Category,
    /// Kind of their commands; `None` where they belong to none.
    pub kind: Option<NodeKind>,
    /// The longest of them, the first of equals.
    pub longest: SliceRef,
    /// Their numbers.
    #[serde(flatten)]
    pub stats: SliceStats,
}

read_flat!(
    SliceGroup from FlatSliceGroup {
        name: String, category: Category, kind: Option<NodeKind>, longest: SliceRef, count: u64,
        total_ns: u64, clipped_ns: u64, self_ns: u64, mean_ns: u64, min_ns: u64, max_ns: u64, p50_ns: u64,
        p95_ns: u64, p99_ns: u64, histogram: Histogram,
    }
    with name, category, kind, longest; stats: SliceStats {
        count, total_ns, clipped_ns, self_ns, mean_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, histogram,
    }
);

/// Slices of one category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryStats {
    /// Their category.
    pub category: Category,
    /// Their numbers.
    pub stats: SliceStats,
}

/// The slices of a selection, summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selected {
    /// Begin of the range.
    pub from_ns: u64,
    /// End of the range, which it does not contain.
    pub to_ns: u64,
    /// All of them, of whatever category: durations of different things, so that only their number says much.
    pub total: SliceStats,
    /// Sums of each category, most time first: commands of devices, calls and waits overlap, and one mean of them says
    /// nothing.
    #[serde(default)]
    pub categories: Vec<CategoryStats>,
    /// By name, category and kind, in the order asked for.
    pub groups: Vec<SliceGroup>,
    /// Groups beyond those asked for.
    pub more_groups: u64,
}

/// A part of the list of a selection's slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceList {
    /// Slices of the selection.
    pub total: u64,
    /// Slices before these, in the order asked for.
    pub offset: u64,
    /// These.
    pub slices: Vec<SliceItem>,
}

/// A slice in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceItem {
    /// Where it is.
    pub at: SliceRef,
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: Category,
    /// Kind of its command, if it belongs to one.
    pub kind: Option<NodeKind>,
    /// Number of its command, if it belongs to one.
    pub node: Option<u64>,
    /// Its self time, as in [`SliceStats::self_ns`].
    pub self_ns: u64,
    /// Source code that caused it: its own place, else its command's.
    pub location: Option<LocationInfo>,
    /// Names and values of its arguments as text, where the question asked for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<(String, String)>,
}

/// Where a search found something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Slices found.
    pub total: u64,
    /// Tracks with slices found, in the order of tracks.
    pub tracks: Vec<TrackMatches>,
    /// The first one by start.
    pub first: Option<SliceItem>,
    /// The last one by start.
    pub last: Option<SliceItem>,
    /// Position of the requested slice among them, from 1 in the order of start and number; `None` if it is none of
    /// them.
    #[serde(default)]
    pub place: Option<u64>,
}

/// Matches of a search on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackMatches {
    /// The track.
    pub track: u32,
    /// Slices found on it.
    pub count: u64,
}

/// The next slice of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stepped {
    /// It; `None` where there is none in that direction.
    pub slice: Option<SliceItem>,
}
