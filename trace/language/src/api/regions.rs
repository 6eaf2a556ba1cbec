//! Regions of the program: `syclscope.region`, ITT, NVTX, Kokkos, its own tracepoints.

use serde::{Deserialize, Serialize};

/// Regions by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regions {
    /// Paths, most time first.
    pub regions: Vec<RegionReport>,
    /// Paths beyond those listed.
    pub more: u64,
}

/// The regions of one path, on all threads. Everything in a region also counts for the regions around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionReport {
    /// Names of the enclosing regions on the thread, outermost first, and of the region itself. `#` replaces numbers if
    /// more than 16 names differ only in them.
    pub path: Vec<String>,
    /// Number of regions.
    pub count: u64,
    /// Number of tracks with such regions.
    pub threads: u64,
    /// Total duration in nanoseconds.
    pub total_ns: u64,
    /// Shortest duration.
    pub min_ns: u64,
    /// Median duration (nearest rank).
    pub median_ns: u64,
    /// Longest duration.
    pub max_ns: u64,
    /// Number of executions of commands that were submitted in the regions.
    pub commands: u64,
    /// Total duration of these executions in nanoseconds, without copies.
    pub device_ns: u64,
    /// Total duration of the copies in nanoseconds.
    pub copy_ns: u64,
    /// Time in the regions in which their threads waited, in nanoseconds.
    pub wait_ns: u64,
}
