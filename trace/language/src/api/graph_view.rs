//! The task graph as a view draws it: folded, in part, and with a place for everything.

use serde::{Deserialize, Serialize};

use super::flat::read_flat;
use super::{LocationInfo, NodeRef, SliceRef};
use crate::event::{Category, EdgeReason, NodeKind};

/// A drawing of the task graph or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    /// Names that nodes refer to.
    pub names: Vec<String>,
    /// Places in the source code that nodes refer to.
    pub locations: Vec<LocationInfo>,
    /// Shown nodes, by the time of their first members.
    pub nodes: Vec<ViewNode>,
    /// Edges between shown nodes, folded where both ends are.
    pub edges: Vec<ViewEdge>,
    /// Loops of the iteration graph that shown nodes stand in, outer before inner ones.
    pub loops: Vec<ViewLoop>,
    /// Partitions of command graphs whose commands are shown, and those without any command.
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

/// A node of the drawing: a command, or several that are folded to one. Sums and bounds are over all members.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewNode {
    /// Its name in questions: `12` for a single node, `12x500` for five hundred of which 12 is the first.
    pub id: String,
    /// Number of its first member.
    pub node: u64,
    /// Number of members.
    pub count: u64,
    /// Kind of its members.
    pub kind: NodeKind,
    /// Name of its members, an index into [`GraphView::names`].
    pub name: u32,
    /// Place in the source code, an index into [`GraphView::locations`], if all members have the same.
    pub location: Option<u32>,
    /// Number of its queue, if all members have the same.
    pub queue: Option<u64>,
    /// Name of its device, an index into [`GraphView::names`], if all members have the same.
    pub device: Option<u32>,
    /// Its loop, an index into [`GraphView::loops`].
    #[serde(rename = "loop")]
    pub in_loop: Option<u32>,
    /// Middle of the node from the left.
    pub x: i32,
    /// Middle of the node from the top.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
    /// When the first execution of a member started; when it was made, where none ran.
    pub begin_ns: u64,
    /// When the last execution ended.
    pub end_ns: u64,
    /// Device time, summed over its members whether or not they overlap.
    pub total_ns: u64,
    /// Longest execution.
    pub max_ns: u64,
    /// Queueing delay: from the ends of submissions to the starts of executions, summed over its members.
    pub delay_ns: u64,
    /// Bytes that copies and fills moved.
    pub bytes: u64,
    /// The least that a member could have been later without making the critical path longer.
    pub slack_ns: u64,
    /// Number of members on the critical path.
    pub critical: u64,
    /// Edges to and from nodes that are not shown.
    pub hidden_edges: u64,
    /// From where to where its copies go (`host`, `device`, `shared`), if that is known and the same for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<(String, String)>,
    /// The region in which its members were submitted, or their callers, an index into [`GraphView::names`]: at the levels `regions`
    /// and `stacks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
    /// Name of the innermost unfolded group that its members are of: without it in `open`, they are folded again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
}

/// Edges from one shown node to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewEdge {
    /// Index into [`GraphView::nodes`].
    pub source: u32,
    /// Index into [`GraphView::nodes`]; the source itself where members of one group depend on each other.
    pub target: u32,
    /// Number of edges.
    pub count: u64,
    /// Number of edges for each reason, most first.
    pub reasons: Vec<(EdgeReason, u64)>,
    /// Number of edges that follow from the order of an in-order queue alone, and are not in the recording.
    #[serde(default)]
    pub implied: u64,
    /// Numbers of the memory objects that carry it, a few of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<u64>,
    /// Access modes, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// True if other edges imply it: without it, nothing could run earlier. Known if requested.
    pub redundant: bool,
    /// Number of its edges on the critical path.
    pub critical: u64,
    /// Its line from source to target as x, y, x, y, …; empty for the longest of a large graph.
    pub points: Vec<i32>,
}

/// A loop of the iteration graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewLoop {
    /// The loop around it, an index into [`GraphView::loops`].
    pub parent: Option<u32>,
    /// Number of its runs, over all rounds of the loops around it.
    pub times: u64,
}

/// A partition of a command graph (`sycl_ext_oneapi_graph`): a region of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewFrame {
    /// Number of the graph: that of its first partition. Commands of one graph stand together in the drawing.
    pub graph: u64,
    /// Number of the partition in the recording.
    pub partition: u64,
    /// Its place among the partitions of the graph, from 0.
    pub place: u32,
    /// Partitions of the graph.
    pub partitions: u32,
    /// Name of its device, an index into [`GraphView::names`].
    pub device: Option<u32>,
    /// True if its commands run in the order in which they were appended.
    pub is_in_order: bool,
    /// True if parameters of its commands can be replaced.
    pub is_updatable: bool,
    /// When it was made.
    pub created_ns: u64,
    /// Place in the source code that made it, an index into [`GraphView::locations`].
    pub location: Option<u32>,
    /// Shown nodes that hold its commands, indices into [`GraphView::nodes`], in recorded order.
    pub nodes: Vec<u32>,
    /// Number of commands.
    pub commands: u64,
    /// Number of commands in nodes that are not shown.
    pub hidden: u64,
    /// Number of executions; 0 if it was recorded and never executed.
    pub run_count: u64,
    /// Its executions, the first [`MOST_LISTED`](super::MOST_LISTED), with the slice of each.
    pub runs: Vec<NodeRef>,
}

/// Parts that a drawing leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Nodes, folded ones counted once, of all that the question's level, component and neighbourhood name.
    pub nodes: u64,
    /// Edges that have an end at a node that is not shown.
    pub edges: u64,
    /// Edges that were asked to be hidden because they are redundant.
    pub redundant_edges: u64,
    /// Edges that are shown and may be redundant, but it would have taken too long to know.
    pub unchecked_edges: u64,
    /// Shown edges without a line.
    pub lines: u64,
    /// Each of it in words, with what to ask to see it.
    pub notes: Vec<String>,
}

/// The members of a group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphMembers {
    /// Number of members of the group.
    pub count: u64,
    /// Position of the first one listed.
    pub from: u64,
    /// Some of them, by time.
    pub members: Vec<GraphMember>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatGraphMember")]
pub struct GraphMember {
    /// Where to jump, with number, kind and name.
    #[serde(flatten)]
    pub node: NodeRef,
    /// Number of its queue.
    pub queue: Option<u64>,
    /// When it started on its device; when it was made, if it never ran.
    pub begin_ns: u64,
    /// Device time.
    pub duration_ns: u64,
    /// Slack, in ns: the delay that would not make the critical path longer.
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

/// Connected part of the graph: nodes that depend on each other, directly or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphComponent {
    /// Number of its first node, by which questions name it.
    pub node: u64,
    /// Nodes.
    pub nodes: u64,
    /// Edges.
    pub edges: u64,
    /// Start of the first execution, or when the first node was made where none ran.
    pub begin_ns: u64,
    /// End of the last execution.
    pub end_ns: u64,
    /// Device time.
    pub total_ns: u64,
    /// Bytes that copies and fills moved.
    pub bytes: u64,
    /// Kinds of its nodes with counts, most first.
    pub kinds: Vec<(NodeKind, u64)>,
}

/// Replay of the run with some commands faster or gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIf {
    /// Duration of the run up to the end of its last command or wait.
    #[serde(default)]
    pub recorded_ns: u64,
    /// The same in the replay, with nothing changed: its durations, dependences, the order of queues and devices, and the host's work
    /// and waits.
    pub path_ns: u64,
    /// True where the replay of the unchanged run differs from the run by more than 5 %: then nothing can be said of a changed one, and
    /// `changed_path_ns` is `path_ns`.
    #[serde(default)]
    pub is_refused: bool,
    /// The longest chain of dependences as it was: what unlimited devices and a host without delay would need.
    pub unlimited_ns: u64,
    /// Duration of the replay with the changes.
    pub changed_path_ns: u64,
    /// The longest chain of dependences with the changes.
    pub changed_unlimited_ns: u64,
    /// Device time of all commands as it was; of a range the part of it in the range.
    pub device_ns: u64,
    /// The same with the changes.
    pub changed_device_ns: u64,
    /// Commands whose time the changes touch.
    pub changed: u64,
    /// Length of the range that changes, up to the end of the trace; `None` if all of the run does.
    #[serde(default)]
    pub range_ns: Option<u64>,
    /// Recorded and predicted times of the busiest queues; `None` where they were not requested, or the replay is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<WhatIfSchedule>,
}

/// When commands ran, and when they would have run by the replay with the changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfSchedule {
    /// Width of a column, in ns: commands of a queue that begin in one are one piece.
    pub column_ns: u64,
    /// Names of commands, without duplicates.
    pub names: Vec<String>,
    /// The busiest queues, in the order of the timeline.
    pub queues: Vec<WhatIfQueue>,
    /// Queues with commands beyond those.
    pub more_queues: u64,
}

/// Times of a queue's commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfQueue {
    /// Track of the queue.
    pub track: u32,
    /// Name of the track.
    pub name: String,
    /// Measured, by begin.
    pub recorded: Vec<WhatIfPiece>,
    /// Predicted, by begin. Commands that take no time have none.
    pub predicted: Vec<WhatIfPiece>,
}

/// A command, or several that begin in the same column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfPiece {
    /// Begin of the first.
    pub from_ns: u64,
    /// End of the last.
    pub to_ns: u64,
    /// Category of the longest, the first of equals.
    pub category: Category,
    /// Number of commands.
    pub count: u64,
    /// Time between the two in which at least one of them ran.
    pub busy_ns: u64,
    /// Name of the longest: its place in the schedule's names.
    pub name: u32,
    /// Node of the longest.
    pub node: u64,
}
