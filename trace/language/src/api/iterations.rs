//! The iterations of a run's main loop.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, StepKind};

/// Iterations of a run: their mark, durations, and critical path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// Command or region that starts each iteration; `None` if nothing repeats.
    pub mark: Option<IterationMark>,
    /// Marks of other loops, for `command` and `region`: those of commands have five iterations at least.
    pub others: Vec<IterationMark>,
    /// Number of iterations in the run.
    pub count: u64,
    /// Start of the first iteration.
    pub from_ns: u64,
    /// End of the last one.
    pub to_ns: u64,
    /// Number of the first iterations that took longer than steady ones, or built device code.
    pub warm_up: u64,
    /// Durations of the later iterations, or of all iterations in the range. If a command marks iterations, the last
    /// one is excluded, because its end is unknown.
    pub steady: IterationStats,
    /// The steps of the critical path in these iterations, most time first; they add up to these iterations' time.
    pub steps: Vec<IterationStep>,
    /// Time of steps beyond those listed, in nanoseconds.
    pub more_steps_ns: u64,
    /// Summary in one sentence, or two if no loop takes most of the run.
    pub message: String,
    /// Iterations in order, of the run or of the range.
    pub iterations: Vec<Iteration>,
    /// Number of further iterations.
    pub more: u64,
}

/// Command or region that starts each iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationMark {
    /// Command or region.
    pub kind: IterationMarkKind,
    /// Its name.
    pub name: String,
    /// Source location that submits it.
    pub location: Option<LocationInfo>,
    /// Number of iterations.
    pub count: u64,
    /// From the start of the first iteration to the end of the last, in nanoseconds.
    pub range_ns: u64,
}

answer_words! {
    /// Kind of a mark of iterations.
    #[derive(Default)]
    IterationMarkKind {
        /// A region of the program.
        Region = "region",
        /// A command.
        #[default]
        Command = "command",
    }
}

/// Durations of iterations, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IterationStats {
    /// Number of iterations.
    pub count: u64,
    /// Arithmetic mean.
    pub mean_ns: f64,
    /// Sample standard deviation; 0 for a single one.
    pub deviation_ns: f64,
    /// Shortest one.
    pub min_ns: u64,
    /// Median (nearest rank).
    pub p50_ns: u64,
    /// 95th percentile (nearest rank).
    pub p95_ns: u64,
    /// Longest one.
    pub max_ns: u64,
    /// Number of the longest one, counted from 1.
    pub slowest: u64,
}

/// One iteration. Its parts add up to its duration; each moment counts for the first part that applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, counted from 1.
    pub number: u64,
    /// Start.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// Time in which a device ran commands other than copies.
    pub device_ns: u64,
    /// Time in which devices ran copies only.
    pub copy_ns: u64,
    /// Time in which all devices were idle and a host thread waited.
    pub wait_ns: u64,
    /// Time in which all devices were idle and no thread waited.
    pub host_ns: u64,
    /// Time in which device code was built, whatever else ran.
    pub build_ns: u64,
    /// Number of commands that started.
    pub commands: u64,
}

/// A step of the critical path in iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IterationStep {
    /// Kind of the step.
    pub kind: StepKind,
    /// Name, as in the critical path.
    pub name: String,
    /// Source code.
    pub location: Option<LocationInfo>,
    /// Time in all steady iterations, in nanoseconds.
    pub total_ns: u64,
    /// Time in the slowest iterations, in nanoseconds.
    pub slowest_ns: u64,
}
