//! Command graphs (`sycl_ext_oneapi_graph`): what was appended, when they changed, and each run of them.
//!
//! A graph that was finalized has one command buffer of the Unified Runtime for each partition; each of them is a
//! [`CommandGraph`] here, and those of one graph share a group. Sync points are [`super::Edge`]s between nodes.

use super::{Args, GraphChangeKind, SourceLocation};
use crate::time::Timestamp;

/// A partition of a command graph was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommandGraph<'a> {
    /// Number of the partition in this recording, counted from 1.
    pub graph: u64,
    /// When.
    pub at: Timestamp,
    /// Number of the first partition of the same graph: what they have in common.
    pub group: u64,
    /// Handle of the command buffer.
    pub handle: u64,
    /// Handle of its device.
    pub device_handle: u64,
    /// Whether its commands run in the order in which they were appended.
    pub is_in_order: bool,
    /// Whether parameters of its commands can be replaced.
    pub is_updatable: bool,
    /// Thread that made it.
    pub tid: u32,
    /// Source code that made it.
    pub location: SourceLocation<'a>,
    /// More of what the call says.
    pub args: Args<'a>,
}

/// A command was appended to a partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphCommand {
    /// Number of the partition.
    pub graph: u64,
    /// When.
    pub at: Timestamp,
    /// Its place in the partition, from 0.
    pub position: u64,
    /// The node that stands for the command.
    pub node: u64,
    /// Its sync point, if it has one.
    pub sync_point: Option<u64>,
}

/// A partition changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GraphChange<'a> {
    /// Number of the partition.
    pub graph: u64,
    /// When.
    pub at: Timestamp,
    /// What happened.
    pub change: GraphChangeKind,
    /// More of what the call says: how many commands were updated.
    pub args: Args<'a>,
}

/// A partition was put on a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphRun {
    /// Number of the partition.
    pub graph: u64,
    /// When.
    pub at: Timestamp,
    /// The node of the run (of kind `command_graph`).
    pub node: u64,
}
