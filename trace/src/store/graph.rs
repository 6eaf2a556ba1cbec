//! The task graph: nodes, edges between them, and their executions.

use crate::event::{EdgeReason, NodeKind};
use crate::id::{ArgsId, LocationId, StringId};

/// A node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeRow {
    pub(crate) number: u64,
    pub(crate) created: u64,
    pub(crate) kind: NodeKind,
    pub(crate) name: StringId,
    /// Row of its queue, or `NONE`.
    pub(crate) queue: u32,
    pub(crate) tid: u32,
    pub(crate) location: LocationId,
    pub(crate) args: ArgsId,
    /// Slice of its submission, or `NONE`.
    pub(crate) submission: u32,
    /// Slice of its execution, or `NONE`.
    pub(crate) execution: u32,
    /// Whether the file announces it.
    pub(crate) announced: bool,
}

/// The nodes of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes(pub(crate) Vec<NodeRow>);

impl Nodes {
    /// Bytes that the table takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<NodeRow>()
    }
}

/// An edge; the source must finish before the target starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeRow {
    pub(crate) at: u64,
    /// Row of the node that must finish.
    pub(crate) source: u32,
    /// Row of the node that must wait.
    pub(crate) target: u32,
    pub(crate) reason: EdgeReason,
    pub(crate) access_mode: StringId,
    pub(crate) memory_object: u64,
}

/// The edges of a trace in recorded order, and their rows by either end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    pub(crate) rows: Vec<EdgeRow>,
    incoming: Adjacency,
    outgoing: Adjacency,
}

impl Edges {
    /// The edges of a graph with `nodes` nodes.
    pub(crate) fn new(rows: Vec<EdgeRow>, nodes: usize) -> Self {
        let incoming = Adjacency::new(nodes, rows.iter().map(|edge| edge.target));
        let outgoing = Adjacency::new(nodes, rows.iter().map(|edge| edge.source));
        Self { rows, incoming, outgoing }
    }

    /// What a node had to wait for.
    pub(crate) fn incoming(&self, node: u32) -> impl Iterator<Item = &EdgeRow> {
        self.incoming.of(node).iter().filter_map(|row| self.rows.get(*row as usize))
    }

    /// What had to wait for a node.
    pub(crate) fn outgoing(&self, node: u32) -> impl Iterator<Item = &EdgeRow> {
        self.outgoing.of(node).iter().filter_map(|row| self.rows.get(*row as usize))
    }

    /// Bytes that the tables take.
    pub(crate) fn memory_bytes(&self) -> usize {
        let index = |adjacency: &Adjacency| (adjacency.starts.capacity() + adjacency.rows.capacity()) * 4;
        self.rows.capacity() * size_of::<EdgeRow>() + index(&self.incoming) + index(&self.outgoing)
    }
}

/// Rows of edges by node.
#[derive(Clone, Debug, Default)]
struct Adjacency {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Adjacency {
    fn new(nodes: usize, ends: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for node in ends.clone() {
            starts[node as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[nodes] as usize];
        for (row, node) in ends.enumerate() {
            rows[next[node as usize] as usize] = row as u32;
            next[node as usize] += 1;
        }
        Self { starts, rows }
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(start), Some(end)) => self.rows.get(*start as usize..*end as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// What an execution has beside its slice; the row is the slice's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Executions {
    pub(crate) kind: Vec<NodeKind>,
    queued: Vec<u64>,
    submitted: Vec<u64>,
}

/// "Not known" in a column of times; later than any clamped time.
const UNKNOWN: u64 = u64::MAX;

impl Executions {
    /// Appends a row.
    pub(crate) fn push(&mut self, kind: NodeKind, queued: Option<u64>, submitted: Option<u64>) {
        self.kind.push(kind);
        self.queued.push(queued.unwrap_or(UNKNOWN));
        self.submitted.push(submitted.unwrap_or(UNKNOWN));
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.kind.len()
    }

    /// When a command was put on the queue.
    pub(crate) fn queued(&self, row: usize) -> Option<u64> {
        self.queued.get(row).copied().filter(|at| *at != UNKNOWN)
    }

    /// When a command was handed to the device.
    pub(crate) fn submitted(&self, row: usize) -> Option<u64> {
        self.submitted.get(row).copied().filter(|at| *at != UNKNOWN)
    }

    /// Bytes that the columns take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.kind.capacity() + (self.queued.capacity() + self.submitted.capacity()) * 8
    }
}
