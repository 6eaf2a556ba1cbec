//! Matched rows: on both sides, or on one only.

use serde::{Deserialize, Serialize};

use super::{CopyDirection, TimeChange};
use crate::api::{LocationInfo, SliceRef};
use crate::event::{AllocationKind, EdgeReason, NodeKind, QueueOrder};

answer_words! {
    /// On which side something is.
    #[derive(Default)]
    Presence {
        /// On both.
        #[default]
        Both = "both",
        /// Before only.
        OnlyA = "only_a",
        /// Now only.
        OnlyB = "only_b",
    }
}

answer_words! {
    /// Likeness of the two sides of a row.
    #[derive(Default)]
    Likeness {
        /// Everything that names them is equal.
        #[default]
        Same = "same",
        /// Equal names at another place in the source code.
        Moved = "moved",
        /// Equal but for the order of their queue.
        OtherQueue = "other_queue",
        /// Copies that have one end alike: to the device from memory of another kind, say.
        OtherDirection = "other_direction",
        /// Another name in the same place of the run.
        Renamed = "renamed",
        /// The work of one is that of several on the other side.
        Split = "split",
    }
}

/// Commands of one kind, name and place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedRow {
    /// Its number, by which questions name it.
    pub row: u32,
    /// On which side it is.
    pub presence: Presence,
    /// Likeness of the sides.
    pub likeness: Likeness,
    /// Before.
    pub a: Option<RowSide>,
    /// Now.
    pub b: Option<RowSide>,
    /// Commands of it that are on both sides.
    pub matched: u64,
    /// Rows of the other side that do its work, if it was split or joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<u32>,
    /// Device time of a launch, the first ones on each queue left out where there are others.
    pub time: TimeChange,
    /// Device time of the first launches where there are others: they hold what is built and moved at run time. Judged among
    /// themselves.
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
    /// From where to where it copies.
    #[serde(default, skip_serializing_if = "CopyDirection::is_unknown")]
    pub direction: CopyDirection,
    /// Source code that submits it.
    pub location: Option<LocationInfo>,
    /// The regions of the program around the submission, outermost first; empty without.
    pub region: String,
    /// Order of its queue.
    pub order: QueueOrder,
    /// Commands.
    pub count: u64,
    /// Device time of all.
    pub total_ns: u64,
    /// Its share of the critical path.
    pub critical_ns: u64,
    /// Numbers of its first commands.
    pub nodes: Vec<u64>,
    /// Its first execution.
    pub at: Option<SliceRef>,
}

/// Regions of the program of one path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedRegion {
    /// Names of the regions around it, outermost first, and its own, numbers left out.
    pub region: String,
    /// On which side they are.
    pub presence: Presence,
    /// Before.
    pub a: Option<RegionSide>,
    /// Now.
    pub b: Option<RegionSide>,
    /// Duration of a region.
    pub time: TimeChange,
}

/// The regions of one side: medians of its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionSide {
    /// Number of regions.
    pub count: u64,
    /// Their durations together, in ns.
    pub total_ns: u64,
}

/// A loop of commands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedLoop {
    /// Rounds before.
    pub a_rounds: u64,
    /// Rounds now.
    pub b_rounds: u64,
    /// Number of rounds like this.
    pub times: u64,
    /// Name of the first command of a round before.
    pub name: String,
    /// Its source code.
    pub location: Option<LocationInfo>,
    /// Number of that command in the first such loop before, and now.
    pub nodes: (Option<u64>, Option<u64>),
}

/// Dependences between commands of two rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedEdges {
    /// On which side they are; both, if only the reason differs.
    pub presence: Presence,
    /// Row of the commands that must finish.
    pub source: u32,
    /// Row of those that must wait.
    pub target: u32,
    /// Names of the two.
    pub names: (String, String),
    /// Why, before; now, if it is only there.
    pub reason: EdgeReason,
    /// The reason now, if it is another one.
    #[serde(default)]
    pub new_reason: Option<EdgeReason>,
    /// Number of rows.
    pub count: u64,
    /// Numbers of the two commands of the first ones, on the side on which they are (before, if on both).
    pub nodes: Vec<(u64, u64)>,
}

/// Memory of one kind and place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedMemory {
    /// On which side it is.
    pub presence: Presence,
    /// Kind.
    pub kind: AllocationKind,
    /// Source code that allocates it.
    pub location: Option<LocationInfo>,
    /// Allocations before.
    pub a_count: u64,
    /// Allocations now.
    pub b_count: u64,
    /// Bytes of all of them before.
    pub a_bytes: u64,
    /// Bytes of all of them now.
    pub b_bytes: u64,
    /// Bytes that were live when the run's memory was at its peak, before.
    pub a_peak_bytes: u64,
    /// The same now.
    pub b_peak_bytes: u64,
    /// Bytes that were never released, before.
    pub a_unreleased_bytes: u64,
    /// The same now.
    pub b_unreleased_bytes: u64,
}

/// Commands of a row, one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchedCommands {
    /// Number of commands: those on both sides count once.
    pub total: u64,
    /// Some of them.
    pub commands: Vec<MatchedCommand>,
}

/// A command on both sides or on one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchedCommand {
    /// Number of its node before.
    pub a_node: Option<u64>,
    /// Number of its node now.
    pub b_node: Option<u64>,
    /// Its execution before.
    pub a: Option<SliceRef>,
    /// Its execution now.
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

/// The same moment on both sides: where to stretch one timeline to lie over the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// Moment before.
    pub a_ns: u64,
    /// Moment now.
    pub b_ns: u64,
}
