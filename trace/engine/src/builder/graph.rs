//! Nodes and edges of the task graph.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Edge, NoTime, Node, Untimed, Value};
use syclscope_language::names::plain_name;

use super::TraceBuilder;
use crate::diagnostics::DiagnosticKind;
use crate::id::NONE;
use crate::store::graph::{EdgeRow, EdgeTable, NodeRow};
use crate::store::table::Table as _;

/// Nodes in the order of their first mention, and edges.
#[derive(Debug, Default)]
pub(super) struct GraphBuilder {
    pub(super) nodes: Vec<NodeRow>,
    pub(super) edges: EdgeTable,
    /// Nodes without device times, with the last given reason.
    untimed: BTreeMap<u32, NoTime>,
    /// Row plus one for nodes with small numbers; a recorder counts from 1.
    dense: Vec<u32>,
    /// Rows of the other nodes.
    sparse: FxHashMap<u64, u32>,
    /// Lower bound of the free numbers beyond the number of nodes.
    first_free: u64,
}

/// Additional numbers in the dense table, beyond twice the number of nodes.
const SLACK: u64 = 1 << 16;

impl GraphBuilder {
    /// Returns the row of a node; adds a placeholder for one that was not announced yet.
    pub(super) fn row(&mut self, number: u64) -> u32 {
        let small = number < self.nodes.len() as u64 * 2 + SLACK;
        if small && let Some(row) = self.dense.get(number as usize).and_then(|row| row.checked_sub(1)) {
            return row;
        }
        // A number may be in the sparse table because it was too large when there were fewer nodes.
        if let Some(row) = self.sparse.get(&number) {
            return *row;
        }
        let row = self.nodes.len() as u32;
        if small {
            if self.dense.len() <= number as usize {
                self.dense.resize(number as usize + 1, 0);
            }
            self.dense[number as usize] = row + 1;
        } else {
            self.sparse.insert(number, row);
        }
        let (queue, submission, execution) = (NONE, NONE, NONE);
        self.nodes.push(NodeRow { number, queue, submission, execution, ..NodeRow::default() });
        row
    }

    pub(super) fn free_number(&mut self) -> u64 {
        let first = self.first_free.max(self.nodes.len() as u64 + 1);
        let is_dense = |number: u64| self.dense.get(number as usize).is_some_and(|row| *row != 0);
        let free = (first..).find(|number| !is_dense(*number) && !self.sparse.contains_key(number));
        self.first_free = free.unwrap_or_default();
        self.first_free
    }

    /// Returns the number of commands without device times, by reason. `unexplained` counts those for which the file
    /// gives no reason.
    pub(super) fn untimed_by_reason(&self, unexplained: u64) -> BTreeMap<NoTime, u64> {
        let mut reasons = BTreeMap::from([(NoTime::Other, unexplained)]);
        for reason in self.untimed.values() {
            *reasons.entry(*reason).or_default() += 1;
        }
        reasons.retain(|_, count| *count > 0);
        reasons
    }

    pub(super) fn shift(&mut self, origin: u64) {
        for node in &mut self.nodes {
            node.created = node.created.saturating_sub(origin);
        }
        for at in self.edges.at.owned() {
            *at = at.saturating_sub(origin);
        }
    }
}

impl TraceBuilder {
    pub(super) fn untimed(&mut self, untimed: &Untimed) {
        self.time(untimed.at);
        let row = self.graph.row(untimed.node);
        self.graph.untimed.insert(row, untimed.reason);
    }

    pub(super) fn explain_untimed(&mut self) {
        for (row, reason) in self.graph.untimed.clone() {
            let words = format!("none: {}", reason.words());
            let mut packed = self.args.set(self.graph.nodes[row as usize].args).to_vec();
            self.pack(&[("device_time", Value::Str(&words))], &mut packed);
            self.graph.nodes[row as usize].args = self.packed_args(&packed);
        }
    }

    pub(super) fn node(&mut self, node: &Node<'_>) {
        let created = self.time(node.at);
        let row = self.graph.row(node.node) as usize;
        let name = self.strings.intern(plain_name(node.name));
        let queue = node.queue.map_or(NONE, |queue| self.queues.row(queue, self.processes.number()));
        let location = self.location(&node.location);
        let args = self.args(node.args);
        let entry = &mut self.graph.nodes[row];
        *entry = NodeRow {
            created,
            kind: node.kind,
            name,
            queue: if queue == NONE { entry.queue } else { queue },
            tid: node.tid,
            location,
            args,
            announced: true,
            ..*entry
        };
    }

    pub(super) fn edge(&mut self, edge: &Edge<'_>) {
        let at = self.time(edge.at);
        let source = self.graph.row(edge.source);
        let target = self.graph.row(edge.target);
        let access_mode = self.strings.intern(edge.access_mode);
        let (reason, memory_object) = (edge.reason, edge.memory_object);
        let object = self.objects.at_address(self.processes.number(), memory_object);
        let row = EdgeRow { at, source, target, reason, access_mode, memory_object, object };
        // Adjacency counts edges in 32 bits.
        if self.graph.edges.len() < NONE as usize {
            self.graph.edges.push(&row);
        } else {
            self.diagnostics.count(DiagnosticKind::TooManyRows);
        }
    }
}
