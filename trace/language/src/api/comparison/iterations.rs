//! Iterations of the main loop in a comparison.

use serde::{Deserialize, Serialize};

use super::TimeChange;
use crate::api::IterationMarkKind;

/// Iterations of the main loop on both sides. The run is the unit of statistics, because iterations of one run are not
/// independent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedIterations {
    /// Baseline.
    pub a: ComparedLoopTimes,
    /// Candidate.
    pub b: ComparedLoopTimes,
    /// Time of a steady iteration: the median of each run.
    pub steady: TimeChange,
    /// Time before the first iteration.
    pub start_up: TimeChange,
    /// Time of all warm-up iterations; no time if a side has no warm-up.
    pub warm_up: TimeChange,
    /// Summary in one sentence.
    pub message: String,
}

/// The main loop of one side. Numbers are medians over its runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedLoopTimes {
    /// Kind of the mark that starts an iteration.
    pub kind: IterationMarkKind,
    /// Name of the marking region or command.
    pub name: String,
    /// Number of runs with such a loop.
    pub runs: u32,
    /// Number of iterations, including the warm-up and an unfinished last one.
    pub count: u64,
    /// Number of steady iterations.
    pub steady: u64,
    /// Number of warm-up iterations.
    pub warm_up: u64,
    /// 10th percentile of steady iterations: the spread within runs, not an interval of the median.
    pub p10_ns: u64,
    /// 90th percentile of steady iterations.
    pub p90_ns: u64,
}
