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

/// The regions of one path, on all threads. What is of a region is also of those around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionReport {
    /// Names of the regions around it on its thread, outermost first, and its own. `#` stands for numbers where more
    /// than 16 names differ in them only.
    pub path: Vec<String>,
    /// Number of regions.
    pub count: u64,
    /// Tracks that they are on.
    pub threads: u64,
    /// Their durations together, in nanoseconds.
    pub total_ns: u64,
    /// The shortest.
    pub min_ns: u64,
    /// The median by nearest rank.
    pub median_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// Executions of commands that were submitted in them.
    pub commands: u64,
    /// Durations of these together, but for copies.
    pub device_ns: u64,
    /// Durations of the copies together.
    pub copy_ns: u64,
    /// Time in them in which their threads waited.
    pub wait_ns: u64,
}
