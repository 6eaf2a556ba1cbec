//! Details of one slice, and of its command.

use serde::{Deserialize, Serialize};

use super::{
    AccessorDetail, ArgValue, GraphCommandDetail, GraphRunDetail, LocationInfo, NativeHandleDetail,
    ObjectDetail, SliceRef, StackFrameInfo,
};
use crate::event::{Category, EdgeReason, NodeKind};

/// Details of one slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceDetail {
    /// Its position.
    pub at: SliceRef,
    /// Display name.
    pub name: String,
    /// Category.
    pub category: Category,
    /// True if the slice was unfinished at the end of the recording.
    pub unfinished: bool,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
    /// Arguments in recorded order.
    pub args: Vec<(String, ArgValue)>,
    /// Its call stack if recorded, innermost frame first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrameInfo>,
    /// Native handles that this call imported into SYCL or exported from it.
    #[serde(default)]
    pub native_handles: Vec<NativeHandleDetail>,
    /// The command that it belongs to.
    pub node: Option<NodeDetail>,
    /// Flows from other slices.
    #[serde(default)]
    pub flows_in: Vec<FlowDetail>,
    /// Flows to other slices.
    #[serde(default)]
    pub flows_out: Vec<FlowDetail>,
}

/// A flow, from the view of one of its ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowDetail {
    /// Its name, may be empty.
    pub name: String,
    /// Name of the other slice.
    pub slice: String,
    /// The other slice.
    pub at: SliceRef,
}

/// A command, with its life and its dependences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeDetail {
    /// Number in the recording.
    pub id: u64,
    /// Kind of the node.
    pub kind: NodeKind,
    /// Kernel or command name.
    pub name: String,
    /// Its queue's number.
    pub queue: Option<u64>,
    /// Time of its creation by the runtime.
    pub created_ns: u64,
    /// Source code that submitted it.
    pub location: Option<LocationInfo>,
    /// Metadata.
    pub args: Vec<(String, ArgValue)>,
    /// Call stack of its submission if recorded, innermost frame first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrameInfo>,
    /// The host's submission.
    pub submission: Option<SliceRef>,
    /// The run on the device.
    pub execution: Option<ExecutionDetail>,
    /// For a host task: the estimated time in which its body ran, possibly only for a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<HostTaskEstimate>,
    /// Edges from its predecessors.
    pub waits_for: Vec<EdgeDetail>,
    /// Edges to its successors.
    pub waited_by: Vec<EdgeDetail>,
    /// Its accessors.
    #[serde(default)]
    pub accessors: Vec<AccessorDetail>,
    /// The distinct buffers and images of its accessors and edges.
    #[serde(default)]
    pub objects: Vec<ObjectDetail>,
    /// Its positions in command graphs.
    #[serde(default)]
    pub graph_commands: Vec<GraphCommandDetail>,
    /// The command graphs that it runs.
    #[serde(default)]
    pub graph_runs: Vec<GraphRunDetail>,
}

/// Bounds of the time in which the body of a host task ran, possibly only for a small part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTaskEstimate {
    /// From this time on it had been submitted, and its dependences had ended.
    pub from_ns: u64,
    /// Enqueueing of its successor, return of a wait for it, or begin of its thread's next host task, in ns.
    pub to_ns: u64,
    /// Track of the runtime's thread that ran it, if known.
    pub track: Option<u32>,
}

/// The run of a command on its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionDetail {
    /// Its slice.
    pub at: SliceRef,
    /// Time of its enqueueing.
    pub queued_ns: Option<u64>,
    /// Time of its submission to the device.
    pub submitted_ns: Option<u64>,
    /// Execution start − submission end; negative if the device was faster than the host's call. `None` without a
    /// recorded submission.
    pub queueing_delay_ns: Option<i64>,
}

/// A dependence, from the view of one of its ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeDetail {
    /// The other node.
    pub node: u64,
    /// Its kind.
    pub kind: NodeKind,
    /// Its name.
    pub name: String,
    /// Reason of the dependence.
    pub reason: EdgeReason,
    /// Access mode, empty if not caused by an accessor.
    pub access_mode: String,
    /// Memory object as `0x…`, empty if none.
    pub memory_object: String,
    /// Number of that object in the recording, if known.
    #[serde(default)]
    pub object: Option<u64>,
    /// The other node's execution, else its submission.
    pub at: Option<SliceRef>,
}
