//! Two runs, or two groups of runs, side by side: what changed, why, and whether it is real.
//!
//! `a` is always what was before, `b` what is now: a ratio above 1 says that `b` takes longer.

mod direction;
mod figure;
mod graph;
mod history;
mod iterations;
mod live;
mod matched;
mod time_change;
mod waterfall;
mod words;

use serde::{Deserialize, Serialize};

pub use direction::CopyDirection;
pub use figure::{FigureChange, FigureUnit};
pub use graph::{ComparedEdge, ComparedGraph, ComparedNode, ComparedReason};
pub use history::{History, HistoryStep, Series, SeriesUnit};
pub use iterations::{ComparedIterations, ComparedLoopTimes};
pub use live::{LiveMemory, MemoryMoment};
pub use matched::{
    Anchor, ComparedEdges, ComparedLoop, ComparedMemory, ComparedRegion, ComparedRow, Counterpart, Likeness,
    MatchedCommand, MatchedCommands, Presence, RegionSide, RowSide,
};
pub use time_change::{TimeChange, Verdict};
pub use waterfall::{PartKind, WaterfallPart};
pub use words::{LEAST_CHANGE, ratio_words};

use super::RunSplit;

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
    /// Name of the part of the runs that is compared, such as `iterations 5-120`; empty if all of them is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// Iterations of the main loop, of whole runs with one on both sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<ComparedIterations>,
    /// Commands (slices, where neither side has commands) on both sides that are the same.
    pub matched: u64,
    /// Figures that do not depend on how fast the machine is.
    pub figures: Vec<FigureChange>,
    /// Where the difference of the run's time comes from: the parts of a side add up to its time.
    pub waterfall: Vec<WaterfallPart>,
    /// Regions of the program by path, most time first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<ComparedRegion>,
    /// Kernels, copies and other commands: most time gained or lost on the critical path first.
    pub rows: Vec<ComparedRow>,
    /// Rows that are not listed.
    pub more_rows: u64,
    /// Loops of commands that ran for another number of rounds or do something else in a round.
    pub loops: Vec<ComparedLoop>,
    /// Dependences that are on one side only, or have another reason.
    pub edges: Vec<ComparedEdges>,
    /// Memory by the place that allocates it, where the sides differ.
    pub memory: Vec<ComparedMemory>,
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedSide {
    /// Name of the side.
    pub name: String,
    /// Number of runs.
    pub runs: u32,
    /// Index of the run that is shown where only one can be, from 0: the one with the median time.
    pub shown: u32,
    /// Time of that run.
    pub duration_ns: u64,
    /// Commands of that run; its slices, where it has no commands.
    pub commands: u64,
    /// Where the time of that run went.
    pub split: RunSplit,
}

/// Something to know before the result is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonNote {
    /// Stable name (`nothing_in_common`, `cut_short`, `no_device_times`, …).
    pub kind: String,
    /// In plain words, with what to do.
    pub message: String,
    /// True if it makes the result nearly or wholly worthless.
    pub is_severe: bool,
}

/// Something around the runs that is not the same on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDifference {
    /// Subject: `device`, `driver`, `version`, `environment`, `setting`, `arguments`, `host`, `clock`, `counter`.
    pub about: String,
    /// Name of it.
    pub name: String,
    /// Before; `None` if there was none.
    pub a: Option<String>,
    /// Now.
    pub b: Option<String>,
}
