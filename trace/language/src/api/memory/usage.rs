//! Memory in use over time.

use serde::{Deserialize, Serialize};

use super::MemoryPlace;
use crate::event::AllocationKind;

/// Memory in use in a range of time, by process, kind and device.
///
/// Memory in use at a moment was allocated before or at the moment, and not released until then: allocations and
/// releases take effect at their own time. All numbers are exact, for any width of the buckets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Start of the range.
    pub from_ns: u64,
    /// End of the range, exclusive.
    pub to_ns: u64,
    /// Starts of the buckets, ascending; a bucket ends where the next one starts, the last one at `to_ns`.
    pub at_ns: Vec<u64>,
    /// Stacked series, by process, kind and device.
    pub series: Vec<MemorySeries>,
    /// Maximum of the total in each bucket. (The sum of the series' maxima may be larger.)
    pub total_max_bytes: Vec<u64>,
    /// Total at the end of each bucket.
    pub total_last_bytes: Vec<u64>,
    /// The moment of the range with most memory in use.
    pub peak: MemoryPeak,
    /// Free memory of devices, if the program queried it.
    pub free: Vec<FreeMemory>,
}

/// Memory in use of one kind and device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySeries {
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if there is none or it is unknown.
    pub device: String,
    /// Bytes just before the range.
    pub before_bytes: u64,
    /// Maximum in each bucket.
    pub max_bytes: Vec<u64>,
    /// Bytes at the end of each bucket.
    pub last_bytes: Vec<u64>,
    /// Maximum in the range.
    pub peak_bytes: u64,
    /// The first moment with that maximum.
    pub peak_at_ns: u64,
}

/// The moment with most memory in use, and the live memory then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPeak {
    /// The first such moment of the range.
    pub at_ns: u64,
    /// Total of all series.
    pub bytes: u64,
    /// Number of live allocations.
    pub count: u64,
    /// Bytes of each of [`MemoryUse::series`].
    pub series_bytes: Vec<u64>,
    /// Live memory by source location, most bytes first.
    pub places: Vec<MemoryPlace>,
    /// Number of source locations that are not listed.
    pub more_places: u64,
}

/// Free memory of a device, as reported to the program. Columns of equal length: one entry for each bucket with a
/// sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FreeMemory {
    /// The counter's track.
    pub track: u32,
    /// Its process.
    pub process: u32,
    /// Name of the device.
    pub device: String,
    /// The value at the start of the range; `None` before the first sample.
    pub before_bytes: Option<u64>,
    /// Time of the first sample in the bucket.
    pub at_ns: Vec<u64>,
    /// Lowest sample in the bucket.
    pub min_bytes: Vec<u64>,
    /// Last sample in the bucket.
    pub last_bytes: Vec<u64>,
}
