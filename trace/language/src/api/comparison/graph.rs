//! Both task graphs as one.

use serde::{Deserialize, Serialize};

use super::{Presence, Verdict};
use crate::event::{EdgeReason, NodeKind};

/// A drawing of both task graphs as one: commands of a row are one node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedGraph {
    /// Shown rows, by the time of their first commands.
    pub nodes: Vec<ComparedNode>,
    /// Dependences between shown rows.
    pub edges: Vec<ComparedEdge>,
    /// Width of each node, in the unit of the drawing.
    pub node_width: i32,
    /// Height of each node.
    pub node_height: i32,
    /// Width of the drawing; its left edge is 0.
    pub width: i32,
    /// Height of the drawing; its upper edge is 0, y grows downwards.
    pub height: i32,
    /// Rows that are not shown.
    pub more_nodes: u64,
    /// Dependences with an end that is not shown.
    pub more_edges: u64,
}

/// A row as a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedNode {
    /// Number of the row.
    pub row: u32,
    /// On which side it is.
    pub presence: Presence,
    /// Verdict on the time of its commands.
    pub verdict: Verdict,
    /// Ratio of that time, now to before.
    pub ratio: Option<f64>,
    /// Kernel or command name: that of now, where it has one.
    pub name: String,
    /// Kind of its commands.
    pub kind: NodeKind,
    /// Commands before.
    pub a_count: u64,
    /// Commands now.
    pub b_count: u64,
    /// Number of the first command before.
    pub a_node: Option<u64>,
    /// Number of the first command now.
    pub b_node: Option<u64>,
    /// Middle of the node from the left.
    pub x: i32,
    /// Middle of the node from the top.
    pub y: i32,
}

/// Dependences from the commands of one row to those of another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedEdge {
    /// Index into [`ComparedGraph::nodes`]: what must finish.
    pub source: u32,
    /// Index into [`ComparedGraph::nodes`]: what must wait.
    pub target: u32,
    /// Numbers of edges by reason and change.
    pub reasons: Vec<ComparedReason>,
    /// Its line from source to target as x, y, x, y, …; empty for the longest of a large graph.
    pub points: Vec<i32>,
}

/// Dependences of which the same has become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedReason {
    /// On which side they are.
    pub presence: Presence,
    /// Why, before; now, if it is only there.
    pub reason: EdgeReason,
    /// The reason now, if it is another one.
    pub new_reason: Option<EdgeReason>,
    /// Number of edges.
    pub count: u64,
}

impl ComparedReason {
    /// True if the two sides differ.
    pub fn is_changed(&self) -> bool {
        self.presence != Presence::Both || self.new_reason.is_some()
    }
}
