//! Everything known of one slice, and of the command that it belongs to.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{AccessorDetail, GraphCommandDetail, GraphRunDetail, NativeHandleDetail, ObjectDetail, float};
use crate::event::{Category, EdgeReason, NodeKind};

/// A place in the source code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationInfo {
    /// Function.
    pub function: String,
    /// File.
    pub file: String,
    /// Line from 1, 0 if not known.
    pub line: u32,
    /// Column from 1, 0 if not known.
    pub column: u32,
}

/// An argument's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
pub enum ArgValue {
    /// Text.
    Str(String),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating point number; `"inf"`, `"-inf"` or `"NaN"` where JSON has no number for it.
    Float(#[serde(with = "float")] f64),
    /// A truth value.
    Bool(bool),
    /// An address or a handle, as `0x…`.
    Pointer(String),
}

impl fmt::Display for ArgValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Str(text) | Self::Pointer(text) => f.write_str(text),
            Self::Int(value) => value.fmt(f),
            Self::Uint(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Bool(value) => value.fmt(f),
        }
    }
}

/// Where a slice is, to jump to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceRef {
    /// Slice id.
    pub slice: u32,
    /// Its track.
    pub track: u32,
    /// Its lane on that track.
    pub lane: u32,
    /// Start.
    pub start_ns: u64,
    /// Duration.
    pub duration_ns: u64,
}

/// Everything known of one slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceDetail {
    /// Where it is.
    pub at: SliceRef,
    /// Shown name.
    pub name: String,
    /// Category.
    pub category: Category,
    /// Whether the recording ended before the slice did.
    pub unfinished: bool,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
    /// Arguments in the recorded order.
    pub args: Vec<(String, ArgValue)>,
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
    /// What it does.
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
    /// The host's submission.
    pub submission: Option<SliceRef>,
    /// The run on the device.
    pub execution: Option<ExecutionDetail>,
    /// For a host task: when its body ran, as far as what is known of the time around it tells. It need not have taken
    /// all of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<HostTaskEstimate>,
    /// What it had to wait for.
    pub waits_for: Vec<EdgeDetail>,
    /// What had to wait for it.
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
    /// What depends on it began, or a wait for it returned.
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
