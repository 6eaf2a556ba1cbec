//! Everything known of one slice, and of the command that it belongs to.

use serde::{Deserialize, Serialize};

use super::{
    AccessorDetail, ArgValue, GraphCommandDetail, GraphRunDetail, LocationInfo, NativeHandleDetail,
    ObjectDetail, SliceRef, StackFrameInfo,
};
use crate::event::{Category, EdgeReason, NodeKind};

/// Everything known of one slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceDetail {
    /// Where it is.
    pub at: SliceRef,
    /// Shown name.
    pub name: String,
    /// Category.
    pub category: Category,
    /// True if the recording ended before the slice did.
    pub unfinished: bool,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
    /// Arguments in the recorded order.
    pub args: Vec<(String, ArgValue)>,
    /// Its call stack if it was recorded, the innermost frame first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrameInfo>,
    /// Native handles that entered SYCL or left it by this call.
    #[serde(default)]
    pub native_handles: Vec<NativeHandleDetail>,
    /// The command that it belongs to.
    pub node: Option<NodeDetail>,
    /// Flows that come from other slices.
    #[serde(default)]
    pub flows_in: Vec<FlowDetail>,
    /// Flows that go to other slices.
    #[serde(default)]
    pub flows_out: Vec<FlowDetail>,
}

/// A flow seen from one of its ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowDetail {
    /// Its name, empty if it has none.
    pub name: String,
    /// Name of the other slice.
    pub slice: String,
    /// Where to jump: the other slice.
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
    /// When the runtime made it.
    pub created_ns: u64,
    /// Source code that submitted it.
    pub location: Option<LocationInfo>,
    /// Metadata.
    pub args: Vec<(String, ArgValue)>,
    /// Call stack of its submission if it was recorded, the innermost frame first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrameInfo>,
    /// The host's submission.
    pub submission: Option<SliceRef>,
    /// The run on the device.
    pub execution: Option<ExecutionDetail>,
    /// For a host task: when its body ran, as far as what is known of the time around it tells. It need not have taken
    /// all of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<HostTaskEstimate>,
    /// Edges from its predecessors.
    pub waits_for: Vec<EdgeDetail>,
    /// Edges to its successors.
    pub waited_by: Vec<EdgeDetail>,
    /// Its accessors.
    #[serde(default)]
    pub accessors: Vec<AccessorDetail>,
    /// The buffers and images of its accessors and edges, each once.
    #[serde(default)]
    pub objects: Vec<ObjectDetail>,
    /// Its places in command graphs.
    #[serde(default)]
    pub graph_commands: Vec<GraphCommandDetail>,
    /// The command graphs that it runs.
    #[serde(default)]
    pub graph_runs: Vec<GraphRunDetail>,
}

/// The time in which the body of a host task ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTaskEstimate {
    /// It had been submitted, and what it depends on had ended.
    pub from_ns: u64,
    /// Begin of its successor, or return of a wait for it, in ns.
    pub to_ns: u64,
    /// Track of the runtime's thread that ran it, if it is known.
    pub track: Option<u32>,
}

/// The run of a command on its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionDetail {
    /// Its slice.
    pub at: SliceRef,
    /// When it was put on the queue.
    pub queued_ns: Option<u64>,
    /// When it was handed to the device.
    pub submitted_ns: Option<u64>,
    /// Execution start − submission end; negative when the device was faster than the host's call. `None`
    /// without a recorded submission.
    pub queueing_delay_ns: Option<i64>,
}

/// A dependence seen from one of its ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeDetail {
    /// The other node.
    pub node: u64,
    /// Its kind.
    pub kind: NodeKind,
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: EdgeReason,
    /// Access mode, empty if not by an accessor.
    pub access_mode: String,
    /// Memory object as `0x…`, empty if none.
    pub memory_object: String,
    /// Number of that object in the recording, if it is known.
    #[serde(default)]
    pub object: Option<u64>,
    /// Where to jump: the other node's execution, else its submission.
    pub at: Option<SliceRef>,
}
