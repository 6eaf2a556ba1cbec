//! Two runs, or two groups of runs, side by side: what changed, why, and whether the change is real.
//!
//! `a` is always the baseline, `b` the candidate: a ratio above 1 means that `b` takes longer.

mod direction;
mod graph;
mod history;
mod matched;
mod time_change;
mod waterfall;
mod words;

use serde::{Deserialize, Serialize};

use super::{IterationMarkKind, RunSplit};

pub use direction::CopyDirection;
pub use graph::{ComparedEdge, ComparedGraph, ComparedNode, ComparedReason};
pub use history::{History, HistoryStep, Series, SeriesUnit};
pub use matched::{
    Anchor, ComparedEdges, ComparedLoop, ComparedMemory, ComparedRegion, ComparedRow, Counterpart, Likeness,
    MatchedCommand, MatchedCommands, Presence, RegionSide, RowSide,
};
pub use time_change::{TimeChange, Verdict};
pub use waterfall::{PartKind, WaterfallPart};
pub use words::{MIN_CHANGE, ratio_words};

/// Two runs, or two groups of runs, side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Baseline.
    pub a: ComparedSide,
    /// Candidate.
    pub b: ComparedSide,
    /// Reasons to trust the result less, or for missing parts, most severe first.
    pub notes: Vec<ComparisonNote>,
    /// Differences of the two sides' environment: machine, versions, settings, arguments.
    pub differences: Vec<FactDifference>,
    /// Time of the whole run, or of its part.
    pub duration: TimeChange,
    /// Name of the compared part of the runs, such as `iterations 5-120`; empty for whole runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// Iterations of the main loop, if both sides are whole runs with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<ComparedIterations>,
    /// Number of matched commands (slices, if neither side has commands).
    pub matched: u64,
    /// Figures that do not depend on the speed of the machine.
    pub figures: Vec<FigureChange>,
    /// Breakdown of the change of the run's time: the parts of a side add up to its time.
    pub waterfall: Vec<WaterfallPart>,
    /// Regions of the program by path, most time first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<ComparedRegion>,
    /// Kernels, copies and other commands: largest change on the critical path first.
    pub rows: Vec<ComparedRow>,
    /// Number of rows that are not listed.
    pub more_rows: u64,
    /// Loops of commands with another number of iterations, or with other contents.
    pub loops: Vec<ComparedLoop>,
    /// Dependences that are on one side only, or have another reason.
    pub edges: Vec<ComparedEdges>,
    /// Memory by allocating source location, where the sides differ.
    pub memory: Vec<ComparedMemory>,
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedSide {
    /// Name of the side.
    pub name: String,
    /// Number of runs.
    pub runs: u32,
    /// Index of the run that represents the side, from 0: the one with the median time.
    pub shown: u32,
    /// Time of that run.
    pub duration_ns: u64,
    /// Number of that run's commands; of its slices, if it has no commands.
    pub commands: u64,
    /// Breakdown of that run's time.
    pub split: RunSplit,
}

/// A caveat about the result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonNote {
    /// Stable name (`nothing_in_common`, `cut_short`, `no_device_times`, …).
    pub kind: String,
    /// Explanation and advice in plain words.
    pub message: String,
    /// True if it makes the result nearly or completely useless.
    pub is_severe: bool,
}

/// A difference in the environment of the runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDifference {
    /// Subject: `device`, `driver`, `version`, `environment`, `setting`, `arguments`, `host`, `clock`, `counter`.
    pub about: String,
    /// Name of the fact.
    pub name: String,
    /// Value in the baseline; `None` if there is none.
    pub a: Option<String>,
    /// Value in the candidate.
    pub b: Option<String>,
}

/// A figure in each run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureChange {
    /// Stable name (`commands`, `bytes_host_to_device`, `peak_device_bytes`, …).
    pub name: String,
    /// Unit of the metric.
    pub unit: FigureUnit,
    /// Values of the baseline's runs.
    pub a: Vec<u64>,
    /// Values of the candidate's runs.
    pub b: Vec<u64>,
}

impl FigureChange {
    /// True if a run of one side has a value that no run of the other side has.
    pub fn is_changed(&self) -> bool {
        let only = |one: &[u64], other: &[u64]| one.iter().any(|figure| !other.contains(figure));
        only(&self.a, &self.b) || only(&self.b, &self.a)
    }
}

answer_words! {
    /// Unit of a metric.
    #[derive(Default)]
    FigureUnit {
        /// A count.
        #[default]
        Count = "count",
        /// Bytes.
        Bytes = "bytes",
    }
}

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

/// Memory in use at matched times of the two sides, and the differences at one of these times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveMemory {
    /// Moments by time, at most 400: of neighbouring moments the one with most memory on either side.
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
