//! Memory over the time of both sides.

use serde::{Deserialize, Serialize};

use super::ComparedMemory;

/// Live memory at matched times of the two sides, and the differences at one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveMemory {
    /// Moments by time, with the peaks of both sides: as many as a drawing shows.
    pub moments: Vec<MemoryMoment>,
    /// The moment that `places` are about.
    pub at: MemoryMoment,
    /// Places whose live memory differs then, most bytes first: counts and bytes are of what is live.
    pub places: Vec<ComparedMemory>,
    /// Places that are not listed.
    pub more_places: u64,
}

/// Live memory at a matched time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryMoment {
    /// The moment before.
    pub a_ns: u64,
    /// The same moment now.
    pub b_ns: u64,
    /// Live bytes before.
    pub a_bytes: u64,
    /// Live bytes now.
    pub b_bytes: u64,
    /// True if nothing begins then on both sides: the time on one side was interpolated between two matches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_interpolated: bool,
}
