//! Both task graphs as one.

use serde::{Deserialize, Serialize};

use super::{Presence, Verdict};
use crate::event::{EdgeReason, NodeKind};

/// A drawing of both task graphs as one: a node for each row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedGraph {
    /// Shown rows, by the start of their first commands.
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
    /// Number of rows that are not shown.
    pub more_nodes: u64,
    /// Number of dependences with an end that is not shown.
    pub more_edges: u64,
}

/// A row as a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedNode {
    /// Number of the row.
    pub row: u32,
    /// Sides on which it exists.
    pub presence: Presence,
    /// Verdict on the time of its commands.
    pub verdict: Verdict,
    /// Ratio of that time, candidate to baseline.
    pub ratio: Option<f64>,
    /// Kernel or command name: the candidate's, if it has one.
    pub name: String,
    /// Kind of its commands.
    pub kind: NodeKind,
    /// Number of commands in the baseline.
    pub a_count: u64,
    /// Number of commands in the candidate.
    pub b_count: u64,
    /// Number of the first command in the baseline.
    pub a_node: Option<u64>,
    /// Number of the first command in the candidate.
    pub b_node: Option<u64>,
    /// Horizontal position of its centre.
    pub x: i32,
    /// Vertical position of its centre.
    pub y: i32,
}

/// Dependences of the commands in one row on the commands in another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedEdge {
    /// Index into [`ComparedGraph::nodes`] of the predecessor.
    pub source: u32,
    /// Index into [`ComparedGraph::nodes`] of the successor.
    pub target: u32,
    /// Numbers of edges by reason and change.
    pub reasons: Vec<ComparedReason>,
    /// Its line from source to target as x, y, x, y, …; empty for the longest ones of a large graph.
    pub points: Vec<i32>,
}

/// Dependences with the same change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedReason {
    /// Sides on which they exist.
    pub presence: Presence,
    /// Reason in the baseline, or in the candidate if only that side has the dependences.
    pub reason: EdgeReason,
    /// Reason in the candidate, if it differs.
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
