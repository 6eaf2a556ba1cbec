//! The task graph: nodes, edges between them, and their executions.

use super::column::Column;
use super::table::{Table as _, columns, table};
use crate::event::{EdgeReason, NodeKind};
use crate::id::{ArgsId, LocationId, StringId};

table! {
    /// The nodes of a trace.
    Nodes,
    /// A node.
    NodeRow {
        /// Its number in the recording.
        number: u64,
        /// When the runtime made it.
        created: u64,
        /// What it does.
        kind: NodeKind,
        /// Kernel or command name.
        name: StringId,
        /// Row of its queue, or `NONE`.
        queue: u32,
        /// Thread that made it.
        tid: u32,
        /// Source code that submitted it.
        location: LocationId,
        /// Its metadata.
        args: ArgsId,
        /// Slice of its submission, or `NONE`.
        submission: u32,
        /// Slice of its execution, or `NONE`.
        execution: u32,
        /// Whether the file announces it.
        announced: bool,
    }
}

table! {
    /// Edges in recorded order.
    EdgeTable,
    /// An edge; the source must finish before the target starts.
    EdgeRow {
        /// When it was recorded.
        at: u64,
        /// Row of the node that must finish.
        source: u32,
        /// Row of the node that must wait.
        target: u32,
        /// Why.
        reason: EdgeReason,
        /// Access mode, empty if not by an accessor.
        access_mode: StringId,
        /// Memory object, 0 if none.
        memory_object: u64,
    }
}

/// The edges of a trace in recorded order, and their rows by either end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    pub(crate) rows: EdgeTable,
    incoming: Adjacency,
    outgoing: Adjacency,
}

columns!(Edges { rows, incoming, outgoing });

impl Edges {
    /// The edges of a graph with `nodes` nodes.
    pub(crate) fn new(rows: EdgeTable, nodes: usize) -> Self {
        let incoming = Adjacency::new(nodes, &rows.target);
        let outgoing = Adjacency::new(nodes, &rows.source);
        Self { rows, incoming, outgoing }
    }

    /// What a node had to wait for.
    pub(crate) fn incoming(&self, node: u32) -> impl Iterator<Item = EdgeRow> {
        self.incoming.of(node).iter().filter_map(|row| self.rows.get(*row))
    }

    /// What had to wait for a node.
    pub(crate) fn outgoing(&self, node: u32) -> impl Iterator<Item = EdgeRow> {
        self.outgoing.of(node).iter().filter_map(|row| self.rows.get(*row))
    }
}

/// Rows of edges by node.
#[derive(Clone, Debug, Default)]
struct Adjacency {
    starts: Column<u32>,
    rows: Column<u32>,
}

columns!(Adjacency { starts, rows });

impl Adjacency {
    fn new(nodes: usize, ends: &[u32]) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for node in ends {
            starts[*node as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[nodes] as usize];
        for (row, node) in ends.iter().enumerate() {
            rows[next[*node as usize] as usize] = row as u32;
            next[*node as usize] += 1;
        }
        Self { starts: starts.into(), rows: rows.into() }
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(start), Some(end)) => self.rows.get(*start as usize..*end as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

table! {
    /// The executions of a trace; the row is the slice's.
    Executions,
    /// What an execution has beside its slice.
    ExecutionRow {
        /// What it does.
        kind: NodeKind,
        /// When it was put on the queue.
        queued: Option<u64>,
        /// When it was handed to the device.
        submitted: Option<u64>,
    }
}
