//! Selections of slices: sums, lists and search.

use serde::{Deserialize, Serialize};

use super::flat::read_flat;
use super::{LocationInfo, SliceRef};
use crate::event::{Category, NodeKind};

/// Statistics of slices. A mean is rounded down to nanoseconds; without slices all are 0.
///
/// Percentiles use the nearest rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceStats {
    /// Number of slices.
    pub count: u64,
    /// Their total duration, not clipped.
    pub total_ns: u64,
    /// Their total duration, clipped to the range.
    pub clipped_ns: u64,
    /// Their total self time: durations (not clipped) without the nested slices on the next lane of the same track. On
    /// a queue's track, whose lanes contain overlapping slices, all of the time is self time.
    pub self_ns: u64,
    /// Mean duration.
    pub mean_ns: u64,
    /// Shortest duration.
    pub min_ns: u64,
    /// Longest duration.
    pub max_ns: u64,
    /// Median duration.
    pub p50_ns: u64,
    /// 95th percentile of durations.
    pub p95_ns: u64,
    /// 99th percentile of durations.
    pub p99_ns: u64,
    /// Distribution of durations.
    pub histogram: Histogram,
}

/// Distribution of durations: `counts[i]` is the count of bucket `first + i`. Bucket 0 has 0 ns, bucket b durations
/// from 2^(b-1) to below 2^b ns. The first and the last bucket are not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// First bucket.
    pub first: u32,
    /// Number of slices in it and in the following ones.
    pub counts: Vec<u64>,
}

/// Slices with one name, category and kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatSliceGroup")]
pub struct SliceGroup {
    /// Their name.
    pub name: String,
    /// Their category.
    pub category: Category,
    /// Kind of their commands; `None` if they belong to no command.
    pub kind: Option<NodeKind>,
    /// The longest slice, the first of equally long ones.
    pub longest: SliceRef,
    /// Their statistics.
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
    /// Their statistics.
    pub stats: SliceStats,
}

/// The sums of a selection's slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selected {
    /// Start of the range.
    pub from_ns: u64,
    /// End of the range, exclusive.
    pub to_ns: u64,
    /// All selected slices, whatever their category. Only the count is meaningful, since durations of different
    /// categories are not comparable.
    pub total: SliceStats,
    /// Sums of each category, most time first: commands of devices, calls and waits overlap, so that a common mean
    /// would be meaningless.
    #[serde(default)]
    pub categories: Vec<CategoryStats>,
    /// By name, category and kind, in the requested order.
    pub groups: Vec<SliceGroup>,
    /// Number of further groups.
    pub more_groups: u64,
}

/// A page of the list of a selection's slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceList {
    /// Number of slices in the selection.
    pub total: u64,
    /// Number of slices before this page, in the requested order.
    pub offset: u64,
    /// The slices of this page.
    pub slices: Vec<SliceItem>,
}

/// A slice in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceItem {
    /// Its position.
    pub at: SliceRef,
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: Category,
    /// Kind of its command, if there is one.
    pub kind: Option<NodeKind>,
    /// Number of its command, if there is one.
    pub node: Option<u64>,
    /// Its self time, as in [`SliceStats::self_ns`].
    pub self_ns: u64,
    /// Source location that caused it: its own, else its command's.
    pub location: Option<LocationInfo>,
    /// Names and values of its arguments as text, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<(String, String)>,
}

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Number of matching slices.
    pub total: u64,
    /// Tracks with matches, in the order of tracks.
    pub tracks: Vec<TrackMatches>,
    /// The first match by start.
    pub first: Option<SliceItem>,
    /// The last match by start.
    pub last: Option<SliceItem>,
    /// Position of the requested slice among the matches, counted from 1, by start and number; `None` if it is not a
    /// match.
    #[serde(default)]
    pub place: Option<u64>,
}

/// Matches of a search on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackMatches {
    /// The track.
    pub track: u32,
    /// Number of matches on it.
    pub count: u64,
}

/// The next match of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stepped {
    /// The slice; `None` if there is none in that direction.
    pub slice: Option<SliceItem>,
}
