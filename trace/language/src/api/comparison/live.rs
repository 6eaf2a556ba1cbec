//! Memory of both sides over time.

use serde::{Deserialize, Serialize};

use super::ComparedMemory;

/// Memory in use at matched times of the two sides, and the differences at one of these times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveMemory {
    /// Moments by time, including the peaks of both sides: as many as a drawing shows.
    pub moments: Vec<MemoryMoment>,
    /// The moment of `places`.
    pub at: MemoryMoment,
    /// Source locations whose live memory differs at that moment, most bytes first; counts and bytes are those of live
    /// memory.
    pub places: Vec<ComparedMemory>,
    /// Number of source locations that are not listed.
    pub more_places: u64,
}

/// Live memory at a matched time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryMoment {
    /// The time in the baseline.
    pub a_ns: u64,
    /// The corresponding time in the candidate.
    pub b_ns: u64,
    /// Live bytes in the baseline.
    pub a_bytes: u64,
    /// Live bytes in the candidate.
    pub b_bytes: u64,
    /// True if the time on one side was interpolated between two matched moments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_interpolated: bool,
}
