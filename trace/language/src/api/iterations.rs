//! The rounds of a run's main loop.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, StepKind};

/// Iterations of a run: what repeats, how long each round took and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// Command or region that begins each iteration; `None` if nothing repeats.
    pub mark: Option<IterationMark>,
    /// Marks of other loops, for `command` and `region`: most time first.
    pub others: Vec<IterationMark>,
    /// Number of iterations in the run.
    pub count: u64,
    /// Begin of the first iteration: what is before is start-up.
    pub from_ns: u64,
    /// End of the last one.
    pub to_ns: u64,
    /// Number of the first iterations that took longer than steady ones, or built device code.
    pub warm_up: u64,
    /// Durations of the iterations after those, or of all that lie in the range. Of iterations that begin with a command the
    /// last one is left out: no next one tells where it ends.
    pub steady: IterationStats,
    /// The steps of the critical path in these iterations, most time first; they add up to these iterations.
    pub steps: Vec<IterationStep>,
    /// Time of steps beyond those listed, in nanoseconds.
    pub more_steps_ns: u64,
    /// All of this in a sentence.
    pub message: String,
    /// Iterations in their order, of the run or of the range.
    pub iterations: Vec<Iteration>,
    /// Iterations beyond the end of the list.
    pub more: u64,
}

/// Command or region that begins each iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationMark {
    /// Command or region.
    pub kind: IterationMarkKind,
    /// Its name.
    pub name: String,
    /// Source code that submits it.
    pub location: Option<LocationInfo>,
    /// Number of iterations.
    pub count: u64,
    /// From the begin of the first iteration to the end of the last, in nanoseconds.
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
    /// Standard deviation of the sample; 0 of a single one.
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

/// One iteration. Its parts add up to its duration; each moment counts for the first of them that is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, counted from 1.
    pub number: u64,
    /// Begin.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// A device ran something other than copies.
    pub device_ns: u64,
    /// A device did nothing but copy.
    pub copy_ns: u64,
    /// All devices were idle and a thread of the host waited.
    pub wait_ns: u64,
    /// All devices were idle and no thread waited.
    pub host_ns: u64,
    /// Time in which device code was built, whatever else went on.
    pub build_ns: u64,
    /// Commands that started.
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
    /// Time in the slowest of them, in nanoseconds.
    pub slowest_ns: u64,
}
