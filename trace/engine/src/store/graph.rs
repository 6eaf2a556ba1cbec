//! The task graph: nodes, edges between them, and their executions.

use syclscope_language::event::{EdgeReason, NodeKind};

use super::adjacency::Adjacency;
use super::table::{Table as _, columns, table};
use crate::id::{ArgsId, LocationId, StringId};

table! {
    /// The nodes of a trace.
    Nodes,
    NodeRow {
        /// Its number in the recording.
        number: u64,
        /// Time of its creation by the runtime.
        created: u64,
        kind: NodeKind,
        /// Kernel or command name.
        name: StringId,
        /// Row of its queue, or `NONE`.
        queue: u32,
        /// Thread that created it.
        tid: u32,
        /// Source location that submitted it.
        location: LocationId,
        args: ArgsId,
        /// Slice of its submission, or `NONE`.
        submission: u32,
        /// Slice of its execution, or `NONE`.
        execution: u32,
        /// True if the file announces it.
        announced: bool,
    }
}

table! {
    /// Edges in recorded order.
    EdgeTable,
    /// An edge; the source must finish before the target starts.
    EdgeRow {
        /// Time of its recording.
        at: u64,
        /// Row of the node that must finish.
        source: u32,
        /// Row of the node that must wait.
        target: u32,
        reason: EdgeReason,
        /// Access mode, empty if not caused by an accessor.
        access_mode: StringId,
        /// Memory object, 0 if none.
        memory_object: u64,
        /// Row of the memory object with that address, or `NONE`.
        object: u32,
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
    pub(crate) fn new(rows: EdgeTable, nodes: usize) -> Self {
        let incoming = Adjacency::new(nodes, rows.target.iter());
        let outgoing = Adjacency::new(nodes, rows.source.iter());
        Self { rows, incoming, outgoing }
    }

    pub(crate) fn incoming(&self, node: u32) -> impl Iterator<Item = EdgeRow> {
        self.incoming.get(node).iter().filter_map(|row| self.rows.get(*row))
    }

    pub(crate) fn outgoing(&self, node: u32) -> impl Iterator<Item = EdgeRow> {
        self.outgoing.get(node).iter().filter_map(|row| self.rows.get(*row))
    }
}

table! {
    /// The executions of a trace; the row is the slice's.
    Executions,
    /// The data of an execution, without its slice.
    ExecutionRow {
        kind: NodeKind,
        /// Time of its enqueueing.
        queued: Option<u64>,
        /// Time of its submission to the device.
        submitted: Option<u64>,
        /// True if its pieces are executions, too: then the pieces count as the device's work instead.
        in_pieces: bool,
    }
}
