//! The task graph as a drawing: folded, possibly in part, with a layout.

use serde::{Deserialize, Serialize};

use super::flat::read_flat;
use super::{LocationInfo, NodeRef, SliceRef};
use crate::event::{Category, EdgeReason, NodeKind};

/// A drawing of the task graph or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    /// Names referred to by nodes.
    pub names: Vec<String>,
    /// Source locations referred to by nodes.
    pub locations: Vec<LocationInfo>,
    /// Shown nodes, by the time of their first members.
    pub nodes: Vec<ViewNode>,
    /// Edges between shown nodes, folded if both ends are.
    pub edges: Vec<ViewEdge>,
    /// Loops of the iteration graph that contain shown nodes, outer before inner ones.
    pub loops: Vec<ViewLoop>,
    /// Partitions of command graphs whose commands are shown, and partitions without commands.
    #[serde(default)]
    pub frames: Vec<ViewFrame>,
    /// Width of the drawing, in the unit of the nodes' sizes; its left edge is 0.
    pub width: i32,
    /// Height of the drawing; its upper edge is 0, y grows downwards.
    pub height: i32,
    /// Number of crossings.
    pub crossings: u64,
    /// Parts that are not shown.
    pub left_out: LeftOut,
}

/// A node of the drawing: a command, or several folded into one. Sums and bounds are over all members.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewNode {
    /// Name in queries: `12` for a single node, `12x500` for five hundred that start with 12.
    pub id: String,
    /// Number of its first member.
    pub node: u64,
    /// Number of members.
    pub count: u64,
    /// Kind of its members.
    pub kind: NodeKind,
    /// Name of its members, an index into [`GraphView::names`].
    pub name: u32,
    /// Source location, an index into [`GraphView::locations`], if all members have the same.
    pub location: Option<u32>,
    /// Number of its queue, if all members have the same.
    pub queue: Option<u64>,
    /// Name of its device, an index into [`GraphView::names`], if all members have the same.
    pub device: Option<u32>,
    /// Its loop, an index into [`GraphView::loops`].
    #[serde(rename = "loop")]
    pub in_loop: Option<u32>,
    /// Horizontal position of its centre.
    pub x: i32,
    /// Vertical position of its centre.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
    /// Start of the first execution of a member; creation of the first member if none ran.
    pub begin_ns: u64,
    /// End of the last execution.
    pub end_ns: u64,
    /// Device time, summed over its members regardless of overlaps.
    pub total_ns: u64,
    /// Longest execution.
    pub max_ns: u64,
    /// Queueing delay: from the ends of submissions to the starts of executions, summed over its members.
    pub delay_ns: u64,
    /// Bytes that copies and fills moved.
    pub bytes: u64,
    /// Minimum slack of its members.
    pub slack_ns: u64,
    /// Number of members on the critical path.
    pub critical: u64,
    /// Number of edges to and from nodes that are not shown.
    pub hidden_edges: u64,
    /// Direction of its copies (`host`, `device`, `shared`), if known and equal for all copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<(String, String)>,
    /// The region in which its members were submitted, or their callers, an index into [`GraphView::names`]: at the
    /// levels `regions` and `stacks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
    /// Name of the innermost unfolded group that contains its members: removing it from `open` folds them again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
}

/// Edges from one shown node to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewEdge {
    /// Index into [`GraphView::nodes`].
    pub source: u32,
    /// Index into [`GraphView::nodes`]; the source itself if members of one group depend on each other.
    pub target: u32,
    /// Number of edges.
    pub count: u64,
    /// Number of edges for each reason, most first.
    pub reasons: Vec<(EdgeReason, u64)>,
    /// Number of edges that follow only from the order of an in-order queue, and are not recorded.
    #[serde(default)]
    pub implied: u64,
    /// Numbers of some of the memory objects that carry it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<u64>,
    /// Distinct access modes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// True if other edges imply it: without it, nothing could run earlier. Only set if requested.
    pub redundant: bool,
    /// Number of its edges on the critical path.
    pub critical: u64,
    /// Its line from source to target as x, y, x, y, …; empty for the longest ones of a large graph.
    pub points: Vec<i32>,
}

/// A loop of the iteration graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewLoop {
    /// The loop around it, an index into [`GraphView::loops`].
    pub parent: Option<u32>,
    /// Number of its runs, in all iterations of the outer loops.
    pub times: u64,
}

/// A partition of a command graph (`sycl_ext_oneapi_graph`): a region of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewFrame {
    /// Number of the graph, which is the number of its first partition. Commands of one graph are drawn together.
    pub graph: u64,
    /// Number of the partition in the recording.
    pub partition: u64,
    /// Its index among the partitions of the graph, from 0.
    pub place: u32,
    /// Number of the graph's partitions.
    pub partitions: u32,
    /// Name of its device, an index into [`GraphView::names`].
    pub device: Option<u32>,
    /// True if its commands run in the order in which they were appended.
    pub is_in_order: bool,
    /// True if parameters of its commands can be replaced.
    pub is_updatable: bool,
    /// Time of its creation.
    pub created_ns: u64,
    /// Source location that created it, an index into [`GraphView::locations`].
    pub location: Option<u32>,
    /// Shown nodes that contain its commands, indices into [`GraphView::nodes`], in recorded order.
    pub nodes: Vec<u32>,
    /// Number of commands.
    pub commands: u64,
    /// Number of commands in nodes that are not shown.
    pub hidden: u64,
    /// Number of executions; 0 if it was recorded and never executed.
    pub run_count: u64,
    /// Its executions, the first [`MAX_LISTED`](super::MAX_LISTED), with the slice of each.
    pub runs: Vec<NodeRef>,
}

/// Parts that a drawing leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Number of nodes, folded ones counted once, within the requested level, component and neighbourhood.
    pub nodes: u64,
    /// Number of edges with an end at a node that is not shown.
    pub edges: u64,
    /// Number of edges hidden on request because they are redundant.
    pub redundant_edges: u64,
    /// Number of shown edges whose redundancy was not checked, to bound the time.
    pub unchecked_edges: u64,
    /// Number of shown edges without a line.
    pub lines: u64,
    /// Descriptions of each part that is left out, with the query that shows it.
    pub notes: Vec<String>,
}

/// The members of a group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphMembers {
    /// Number of members of the group.
    pub count: u64,
    /// Position of the first listed one.
    pub from: u64,
    /// The listed members, by time.
    pub members: Vec<GraphMember>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatGraphMember")]
pub struct GraphMember {
    /// Its position, number, kind and name.
    #[serde(flatten)]
    pub node: NodeRef,
    /// Number of its queue.
    pub queue: Option<u64>,
    /// Start on its device; creation if it never ran.
    pub begin_ns: u64,
    /// Device time.
    pub duration_ns: u64,
    /// Slack, in ns: the delay that would not prolong the critical path.
    pub slack_ns: u64,
    /// True if it is on the critical path.
    pub is_critical: bool,
}

read_flat!(
    GraphMember from FlatGraphMember {
        node: u64, kind: NodeKind, name: String, at: Option<SliceRef>, queue: Option<u64>, begin_ns: u64,
        duration_ns: u64, slack_ns: u64, is_critical: bool,
    }
    with queue, begin_ns, duration_ns, slack_ns, is_critical; node: NodeRef {
        node, kind, name, at,
    }
);

/// The connected components of the task graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphComponents {
    /// Number of components.
    pub count: u64,
    /// Number of single nodes without an edge.
    pub single: u64,
    /// The largest ones, most nodes first.
    pub components: Vec<GraphComponent>,
    /// Components that are not listed.
    pub left_out: u64,
}

/// A connected component of the graph: nodes that depend on each other, directly or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphComponent {
    /// Number of its first node, which identifies it in queries.
    pub node: u64,
    /// Number of nodes.
    pub nodes: u64,
    /// Number of edges.
    pub edges: u64,
    /// Start of the first execution; creation of the first node if none ran.
    pub begin_ns: u64,
    /// End of the last execution.
    pub end_ns: u64,
    /// Device time.
    pub total_ns: u64,
    /// Bytes that copies and fills moved.
    pub bytes: u64,
    /// Kinds of its nodes with counts, most frequent first.
    pub kinds: Vec<(NodeKind, u64)>,
}

/// Replay of the run with some commands faster or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIf {
    /// Duration of the run until the end of its last command or wait.
    #[serde(default)]
    pub recorded_ns: u64,
    /// The same in the replay without changes: with its durations, dependences, the order of queues and devices, and
    /// the host's work and waits.
    pub path_ns: u64,
    /// True if the replay of the unchanged run differs from the run by more than 5 %: then changes can't be predicted,
    /// and `changed_path_ns` is `path_ns`.
    #[serde(default)]
    pub is_refused: bool,
    /// The longest chain of dependences as recorded: a lower bound of the run's time, with unlimited devices and a host
    /// without delay. A command without a device time, such as a host task, takes none in it.
    pub unlimited_ns: u64,
    /// Duration of the replay with the changes.
    pub changed_path_ns: u64,
    /// The longest chain of dependences with the changes.
    pub changed_unlimited_ns: u64,
    /// Device time of all commands as recorded, clipped to the range.
    pub device_ns: u64,
    /// The same with the changes.
    pub changed_device_ns: u64,
    /// Number of commands whose time changes.
    pub changed: u64,
    /// Length of the changed range, up to the end of the trace; `None` for the whole run.
    #[serde(default)]
    pub range_ns: Option<u64>,
    /// Recorded and predicted times of the busiest queues; `None` if not requested, or if the replay is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<WhatIfSchedule>,
}

/// Recorded times of commands, and predicted times with the changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfSchedule {
    /// Width of a column, in ns: commands of a queue that start in one column are one [`WhatIfPiece`].
    pub column_ns: u64,
    /// Distinct names of commands.
    pub names: Vec<String>,
    /// The busiest queues, in the order of the timeline.
    pub queues: Vec<WhatIfQueue>,
    /// Number of further queues with commands.
    pub more_queues: u64,
}

/// Times of a queue's commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfQueue {
    /// Track of the queue.
    pub track: u32,
    /// Name of the track.
    pub name: String,
    /// Recorded times, by start.
    pub recorded: Vec<WhatIfPiece>,
    /// Predicted times, by start. Commands that take no time have none.
    pub predicted: Vec<WhatIfPiece>,
}

/// A command, or several that start in the same column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfPiece {
    /// Start of the first.
    pub from_ns: u64,
    /// End of the last.
    pub to_ns: u64,
    /// Category of the longest one, the first of equals.
    pub category: Category,
    /// Number of commands.
    pub count: u64,
    /// Time in between in which at least one command ran.
    pub busy_ns: u64,
    /// Name of the longest one: its index in the schedule's names.
    pub name: u32,
    /// Node of the longest one.
    pub node: u64,
}
