//! Memory in use over time.

use serde::{Deserialize, Serialize};

use super::MemoryPlace;
use crate::event::AllocationKind;

/// Memory in use in a range of time, by process, kind and device.
///
/// Memory in use is what was allocated up to and at a moment and not yet released then: what is allocated or released at
/// a moment counts from that moment on. All numbers are exact, at any width of a bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Begin of the range.
    pub from_ns: u64,
    /// End of the range, which it does not contain.
    pub to_ns: u64,
    /// Begins of the buckets, ascending; a bucket ends where the next one begins, the last one at `to_ns`.
    pub at_ns: Vec<u64>,
    /// Stacked series, in the order of process, kind and device.
    pub series: Vec<MemorySeries>,
    /// Most bytes of all series together in each bucket. (The sum of their own maxima may be more.)
    pub total_max_bytes: Vec<u64>,
    /// Bytes of all series together at the end of each bucket.
    pub total_last_bytes: Vec<u64>,
    /// The moment of the range with most bytes.
    pub peak: MemoryPeak,
    /// Free memory of devices, where the program asked for it.
    pub free: Vec<FreeMemory>,
}

/// Memory in use of one kind and device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySeries {
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if it belongs to none or it is not known.
    pub device: String,
    /// Bytes just before the range.
    pub before_bytes: u64,
    /// Most bytes in each bucket.
    pub max_bytes: Vec<u64>,
    /// Bytes at the end of each bucket.
    pub last_bytes: Vec<u64>,
    /// Most bytes in the range.
    pub peak_bytes: u64,
    /// The first moment of the range with so many.
    pub peak_at_ns: u64,
}

/// The moment with most memory in use, and what is live then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPeak {
    /// The first such moment of the range.
    pub at_ns: u64,
    /// Bytes of all series together.
    pub bytes: u64,
    /// Allocations that are live.
    pub count: u64,
    /// Bytes of each of [`MemoryUse::series`].
    pub series_bytes: Vec<u64>,
    /// Live memory by place, most bytes first.
    pub places: Vec<MemoryPlace>,
    /// Places beyond those listed.
    pub more_places: u64,
}

/// Free memory of a device, as the program was told. Columns of equal length: one entry for each bucket that holds a
/// sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FreeMemory {
    /// The counter's track.
    pub track: u32,
    /// Its process.
    pub process: u32,
    /// Name of the device.
    pub device: String,
    /// The value when the range begins; `None` before the first sample.
    pub before_bytes: Option<u64>,
    /// Time of the first sample in the bucket.
    pub at_ns: Vec<u64>,
    /// Lowest sample in the bucket.
    pub min_bytes: Vec<u64>,
    /// Last sample in the bucket.
    pub last_bytes: Vec<u64>,
}
