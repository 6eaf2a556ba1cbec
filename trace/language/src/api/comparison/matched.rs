//! Matched rows: on both sides, or on one only.

use serde::{Deserialize, Serialize};

use super::{CopyDirection, TimeChange};
use crate::api::{LocationInfo, SliceRef};
use crate::event::{AllocationKind, EdgeReason, NodeKind, QueueOrder};

answer_words! {
    /// The sides on which something exists.
    #[derive(Default)]
    Presence {
        /// Both sides.
        #[default]
        Both = "both",
        /// The baseline only.
        OnlyA = "only_a",
        /// The candidate only.
        OnlyB = "only_b",
    }
}

answer_words! {
    /// Likeness of the two sides of a row.
    #[derive(Default)]
    Likeness {
        /// All parts of the key are equal.
        #[default]
        Same = "same",
        /// Equal names at another source location.
        Moved = "moved",
        /// Equal except for the order of their queue.
        OtherQueue = "other_queue",
        /// Copies with one end in common: to the device from different kinds of memory, for example.
        OtherDirection = "other_direction",
        /// Another name at the same position of the run.
        Renamed = "renamed",
        /// One side's command corresponds to several on the other side.
        Split = "split",
    }
}

/// Commands with one kind, name and source location.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedRow {
    /// Its number, which identifies it in queries.
    pub row: u32,
    /// Sides on which it exists.
    pub presence: Presence,
    /// Likeness of the sides.
    pub likeness: Likeness,
    /// The baseline's commands.
    pub a: Option<RowSide>,
    /// The candidate's commands.
    pub b: Option<RowSide>,
    /// Number of matched commands.
    pub matched: u64,
    /// Corresponding rows of the other side, if it was split or joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<u32>,
    /// Device time of a launch. The first launch on each queue counts only if a run has no others.
    pub time: TimeChange,
    /// Device time of the first launches, if there are others. First launches include builds and transfers at run time,
    /// and their verdicts are corrected separately.
    pub first: TimeChange,
    /// Change of its time on the critical path, in ns.
    pub critical_change_ns: i64,
}

/// One side of a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowSide {
    /// Kernel or command name.
    pub name: String,
    /// Kind of the commands.
    pub kind: NodeKind,
    /// Direction of a copy.
    #[serde(default, skip_serializing_if = "CopyDirection::is_unknown")]
    pub direction: CopyDirection,
    /// Source location that submits it.
    pub location: Option<LocationInfo>,
    /// The regions of the program around the submission, outermost first; empty without regions.
    pub region: String,
    /// Order of its queue.
    pub order: QueueOrder,
    /// Number of commands.
    pub count: u64,
    /// Total device time.
    pub total_ns: u64,
    /// Its time on the critical path.
    pub critical_ns: u64,
    /// Numbers of its first commands.
    pub nodes: Vec<u64>,
    /// Its first execution.
    pub at: Option<SliceRef>,
}

/// Regions of the program of one path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedRegion {
    /// Names of the enclosing regions, outermost first, and of the region itself, without numbers.
    pub region: String,
    /// Sides on which the regions exist.
    pub presence: Presence,
    /// The baseline's regions.
    pub a: Option<RegionSide>,
    /// The candidate's regions.
    pub b: Option<RegionSide>,
    /// Duration of a region.
    pub time: TimeChange,
}

/// The regions of one side: medians of its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionSide {
    /// Number of regions.
    pub count: u64,
    /// Total duration in nanoseconds.
    pub total_ns: u64,
}

/// A loop of commands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedLoop {
    /// Number of iterations in the baseline.
    pub a_rounds: u64,
    /// Number of iterations in the candidate.
    pub b_rounds: u64,
    /// Number of loops with this change.
    pub times: u64,
    /// Name of the first command of an iteration in the baseline.
    pub name: String,
    /// Its source code.
    pub location: Option<LocationInfo>,
    /// Number of that command in the first such loop of the baseline, and of the candidate.
    pub nodes: (Option<u64>, Option<u64>),
}

/// Dependences between commands of two rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedEdges {
    /// Sides on which they exist; both if only the reason differs.
    pub presence: Presence,
    /// Row of the predecessors.
    pub source: u32,
    /// Row of the successors.
    pub target: u32,
    /// Names of the two rows.
    pub names: (String, String),
    /// Reason in the baseline, or in the candidate if only that side has the dependences.
    pub reason: EdgeReason,
    /// Reason in the candidate, if it differs.
    #[serde(default)]
    pub new_reason: Option<EdgeReason>,
    /// Number of edges.
    pub count: u64,
    /// Numbers of the two commands of the first edges, on the side where they exist (the baseline, if on both).
    pub nodes: Vec<(u64, u64)>,
}

/// Memory of one kind and source location.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedMemory {
    /// Sides on which it exists.
    pub presence: Presence,
    /// Kind.
    pub kind: AllocationKind,
    /// Source location that allocates it.
    pub location: Option<LocationInfo>,
    /// Number of allocations in the baseline.
    pub a_count: u64,
    /// Number of allocations in the candidate.
    pub b_count: u64,
    /// Their total size in the baseline.
    pub a_bytes: u64,
    /// Their total size in the candidate.
    pub b_bytes: u64,
    /// Bytes live at the peak of the run's memory, in the baseline.
    pub a_peak_bytes: u64,
    /// The same in the candidate.
    pub b_peak_bytes: u64,
    /// Bytes that were never released, in the baseline.
    pub a_unreleased_bytes: u64,
    /// The same in the candidate.
    pub b_unreleased_bytes: u64,
}

/// Commands of a row, one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchedCommands {
    /// Number of commands: matched ones count once.
    pub total: u64,
    /// A page of the commands.
    pub commands: Vec<MatchedCommand>,
}

/// A command on one or both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchedCommand {
    /// Number of its node in the baseline.
    pub a_node: Option<u64>,
    /// Number of its node in the candidate.
    pub b_node: Option<u64>,
    /// Its execution in the baseline.
    pub a: Option<SliceRef>,
    /// Its execution in the candidate.
    pub b: Option<SliceRef>,
}

/// Counterpart of a command on the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counterpart {
    /// Row of the command.
    pub row: Option<u32>,
    /// The command on both sides.
    pub command: MatchedCommand,
}

/// Corresponding moments of both sides, by which one timeline can be stretched to match the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// Time in the baseline.
    pub a_ns: u64,
    /// Time in the candidate.
    pub b_ns: u64,
}
