//! Iterations of the main loop in a comparison.

use serde::{Deserialize, Serialize};

use super::TimeChange;
use crate::api::IterationMarkKind;

/// Iterations of the main loop on both sides. The run is the unit: iterations of one run depend on each other, and prove nothing by
/// their number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedIterations {
    /// Before.
    pub a: ComparedLoopTimes,
    /// Now.
    pub b: ComparedLoopTimes,
    /// Time of a steady iteration: of each run its median.
    pub steady: TimeChange,
    /// Time before the first iteration.
    pub start_up: TimeChange,
    /// Time of all iterations of the warm-up; without a time where a side has none.
    pub warm_up: TimeChange,
    /// In a sentence.
    pub message: String,
}

/// The main loop of one side. Numbers are medians over its runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedLoopTimes {
    /// Kind of the mark at which an iteration begins.
    pub kind: IterationMarkKind,
    /// Name of the region or command that marks it.
    pub name: String,
    /// Runs with such a loop.
    pub runs: u32,
    /// Iterations, those of the warm-up and an unfinished last one included.
    pub count: u64,
    /// Steady iterations.
    pub steady: u64,
    /// Iterations of the warm-up.
    pub warm_up: u64,
    /// One of ten steady iterations takes at most this time: the spread in the runs, and no interval of the median.
    pub p10_ns: u64,
    /// Nine of ten take at most this time.
    pub p90_ns: u64,
}
