//! Command graphs, seen from their commands and runs.

use serde::{Deserialize, Serialize};

use super::{ArgValue, LocationInfo, SliceRef};
use crate::event::{GraphChangeKind, NodeKind};

/// A partition of a command graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartitionDetail {
    /// Number of the partition in the recording.
    pub partition: u64,
    /// Number of the graph, which is the number of its first partition.
    pub graph: u64,
    /// Its index among the partitions of the graph, from 0.
    pub place: u32,
    /// Number of the graph's partitions.
    pub partitions: u32,
    /// Handle of the command buffer, as `0x…`.
    pub handle: String,
    /// Name of its device, empty if unknown.
    pub device: String,
    /// True if its commands run in the order in which they were appended.
    pub is_in_order: bool,
    /// True if parameters of its commands can be replaced.
    pub is_updatable: bool,
    /// Time of its creation.
    pub created_ns: u64,
    /// Changes in recorded order; the first [`MAX_LISTED`].
    pub changes: Vec<GraphChangeDetail>,
    /// Number of changes.
    pub change_count: u64,
    /// Number of its commands.
    pub commands: u64,
    /// Number of executions.
    pub runs: u64,
    /// Source location that created it.
    pub location: Option<LocationInfo>,
    /// Other arguments of the call.
    pub args: Vec<(String, ArgValue)>,
}

/// Maximum length of a list of commands, runs or changes; the accompanying counts include all.
pub const MAX_LISTED: usize = 64;

/// A change of a partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphChangeDetail {
    /// Time of the change.
    pub at_ns: u64,
    /// Kind of change.
    pub change: GraphChangeKind,
    /// Other arguments of the call.
    pub args: Vec<(String, ArgValue)>,
}

/// A node's position in a command graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphCommandDetail {
    /// The partition that it was appended to.
    pub partition: PartitionDetail,
    /// Its index in the partition, from 0.
    pub position: u64,
    /// Its sync point, if it has one.
    pub sync_point: Option<u64>,
    /// Runs of the partition, the first [`MAX_LISTED`].
    pub runs: Vec<NodeRef>,
}

/// A run of a command graph's partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphRunDetail {
    /// The partition that ran.
    pub partition: PartitionDetail,
    /// Number of the run, from 0.
    pub run: u64,
    /// Commands of the partition, the first [`MAX_LISTED`].
    pub commands: Vec<NodeRef>,
}

/// A reference to a node, with its name and position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRef {
    /// Number in the recording.
    pub node: u64,
    /// Kind of the command.
    pub kind: NodeKind,
    /// Kernel or command name.
    pub name: String,
    /// Its execution, else its submission.
    pub at: Option<SliceRef>,
}
