//! One kernel: its executions by duration, over time, by queue and by launch size.

use serde::{Deserialize, Serialize};

use super::SliceRef;
use super::flat::read_flat;
use crate::event::NodeKind;

/// The executions with one name. Without any, all numbers are 0 and all lists are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelProfile {
    /// Kind of the commands, taken from the first one; `None` if unknown.
    pub kind: Option<NodeKind>,
    /// All executions.
    pub all: ExecutionStats,
    /// The first execution on each queue.
    pub first: ExecutionStats,
    /// All other executions.
    pub later: ExecutionStats,
    /// Calls that built the programs of the first executions before these were launched, by start: limited like the
    /// list. A program may also contain other kernels.
    pub builds: Vec<SliceRef>,
    /// The time of all such calls; overlaps count once.
    pub build_ns: u64,
    /// Distribution of durations.
    pub bins: DurationBins,
    /// Executions over time.
    pub points: ExecutionPoints,
    /// By queue, most time first.
    pub queues: Vec<QueueExecutions>,
    /// Number of further queues.
    pub more_queues: u64,
    /// By launch size, most time first.
    pub sizes: Vec<SizeExecutions>,
    /// Number of further sizes.
    pub more_sizes: u64,
}

/// Statistics of executions. Percentiles use the nearest rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionStats {
    /// Number of executions.
    pub count: u64,
    /// Their total duration.
    pub total_ns: u64,
    /// Shortest duration.
    pub min_ns: u64,
    /// Median duration.
    pub p50_ns: u64,
    /// 95th percentile of durations.
    pub p95_ns: u64,
    /// Longest duration.
    pub max_ns: u64,
    /// Median of the upper bounds of their submissions' time on the host, in ns; `None` if no submission is known.
    pub submission_p50_ns: Option<u64>,
}

/// Distribution of durations: bin `i` has durations from `edges_ns[i]` to below `edges_ns[i + 1]`.
///
/// If the longest is at least four times the shortest, each power of two is divided into the same number of bins; else
/// all bins have the same width. The first and the last bin are not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurationBins {
    /// True if bins are logarithmic.
    pub is_logarithmic: bool,
    /// Bounds of the bins, one more than bins; empty without executions.
    pub edges_ns: Vec<u64>,
    /// Number of executions in each bin.
    pub counts: Vec<u64>,
    /// Number of executions in each bin that are the first on their queue.
    pub first: Vec<u64>,
}

/// Executions over time, as columns with one value per point.
///
/// A point is an execution, or several with close starts and durations in one bin if there are too many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionPoints {
    /// Slice of the longest execution.
    pub slice: Vec<u32>,
    /// Start of that execution.
    pub start_ns: Vec<u64>,
    /// Duration, in ns.
    pub duration_ns: Vec<u64>,
    /// Number of executions.
    pub count: Vec<u64>,
}

/// Executions on one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatQueueExecutions")]
pub struct QueueExecutions {
    /// The first execution, on the queue's track.
    pub first: SliceRef,
    /// True if it is the first on its device, too.
    pub is_first_on_device: bool,
    /// Time of its submission on the host, in ns, if known.
    pub submission_ns: Option<u64>,
    /// Their statistics.
    #[serde(flatten)]
    pub stats: ExecutionStats,
}

read_flat!(
    QueueExecutions from FlatQueueExecutions {
        first: SliceRef, is_first_on_device: bool, submission_ns: Option<u64>, count: u64, total_ns: u64,
        min_ns: u64, p50_ns: u64, p95_ns: u64, max_ns: u64, submission_p50_ns: Option<u64>,
    }
    with first, is_first_on_device, submission_ns; stats: ExecutionStats {
        count, total_ns, min_ns, p50_ns, p95_ns, max_ns, submission_p50_ns,
    }
);

/// Executions with one launch size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatSizeExecutions")]
pub struct SizeExecutions {
    /// Work-items in each dimension (`64 × 2`), empty if unknown.
    pub global: String,
    /// Work-items of a work-group in each dimension, empty if unknown.
    pub local: String,
    /// Bytes moved by each, if known.
    pub bytes: Option<u64>,
    /// The longest execution, the first of equally long ones.
    pub longest: SliceRef,
    /// Their statistics.
    #[serde(flatten)]
    pub stats: ExecutionStats,
}

read_flat!(
    SizeExecutions from FlatSizeExecutions {
        global: String, local: String, bytes: Option<u64>, longest: SliceRef, count: u64, total_ns: u64,
        min_ns: u64, p50_ns: u64, p95_ns: u64, max_ns: u64, submission_p50_ns: Option<u64>,
    }
    with global, local, bytes, longest; stats: ExecutionStats {
        count, total_ns, min_ns, p50_ns, p95_ns, max_ns, submission_p50_ns,
    }
);
