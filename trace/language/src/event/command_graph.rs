//! Command graphs (`sycl_ext_oneapi_graph`): appended commands, changes, and runs.
//!
//! A finalized graph has one command buffer of the Unified Runtime for each partition; each of them is a
//! [`CommandGraph`] here, and those of one graph have the same group. Sync points are [`super::Edge`]s between nodes.

use super::{Args, GraphChangeKind, SourceLocation};
use crate::time::Timestamp;

/// A partition of a command graph was created.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommandGraph<'a> {
    /// Number of the partition in this recording, counted from 1.
    pub graph: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Number of the first partition of the same graph; all partitions share it.
    pub group: u64,
    /// Handle of the command buffer.
    pub handle: u64,
    /// Handle of its device.
    pub device_handle: u64,
    /// True if its commands run in the order in which they were appended.
    pub is_in_order: bool,
    /// True if parameters of its commands can be replaced.
    pub is_updatable: bool,
    /// Thread that created it.
    pub tid: u32,
    /// Source code that created it.
    pub location: SourceLocation<'a>,
    /// Further arguments of the call.
    pub args: Args<'a>,
}

/// A command was appended to a partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphCommand {
    /// Number of the partition.
    pub graph: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Its position in the partition, from 0.
    pub position: u64,
    /// The command's node.
    pub node: u64,
    /// Its sync point, if it has one.
    pub sync_point: Option<u64>,
}

/// A partition changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GraphChange<'a> {
    /// Number of the partition.
    pub graph: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Kind of change.
    pub change: GraphChangeKind,
    /// Further arguments of the call, such as the number of updated commands.
    pub args: Args<'a>,
}

/// A partition was enqueued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphRun {
    /// Number of the partition.
    pub graph: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// The node of the run (of kind `command_graph`).
    pub node: u64,
}
