//! Queues and their executions.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Execution, NodeKind, Queue};
use syclscope_language::names::plain_name;
use syclscope_language::time::Timestamp;

use super::TraceBuilder;
use super::chunks::Chunks;
use crate::diagnostics::DiagnosticKind;
use crate::id::{LocationId, NONE, StringId};
use crate::store::slices::SliceRow;
use crate::store::tracks::QueueRow;

/// A queue with its executions in the order of the file.
#[derive(Debug)]
pub(super) struct QueueEntry {
    pub(super) row: QueueRow,
    pub(super) process: u32,
    pub(super) slices: Chunks<SliceRow>,
    pub(super) executions: Chunks<PendingExecution>,
    /// Name of its track; empty for the default name with its number.
    pub(super) name: StringId,
    /// Row and identity of the file's track that it was created from.
    pub(super) adopted: Option<(usize, u64)>,
    announced: bool,
}

/// The data of an execution, without its slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingExecution {
    pub(super) kind: NodeKind,
    pub(super) queued: Option<u64>,
    pub(super) submitted: Option<u64>,
    pub(super) in_pieces: bool,
}

impl PendingExecution {
    /// Returns an execution without times of queueing and submission.
    pub(super) fn new(kind: NodeKind) -> Self {
        Self { kind, queued: None, submitted: None, in_pieces: false }
    }
}

/// The queues in the order of their first mention.
#[derive(Debug, Default)]
pub(super) struct QueueBuilder {
    pub(super) entries: Vec<QueueEntry>,
    rows: FxHashMap<u64, u32>,
    /// Lower bound of the free numbers beyond the number of queues.
    first_free: u64,
}

impl QueueBuilder {
    /// Returns the row of a queue; adds a placeholder for one that was not announced yet.
    pub(super) fn row(&mut self, number: u64, process: u32) -> u32 {
        *self.rows.entry(number).or_insert_with(|| {
            let row = QueueRow { number, track: NONE, ..QueueRow::default() };
            let entry = QueueEntry {
                row,
                process,
                slices: Chunks::default(),
                executions: Chunks::default(),
                name: StringId::default(),
                adopted: None,
                announced: false,
            };
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        })
    }

    pub(super) fn shift(&mut self, origin: u64) {
        for entry in &mut self.entries {
            entry.row.created = entry.row.created.saturating_sub(origin);
            entry.row.destroyed = entry.row.destroyed.map(|at| at.saturating_sub(origin));
            for slice in entry.slices.iter_mut() {
                slice.start = slice.start.saturating_sub(origin);
                slice.end = slice.end.saturating_sub(origin);
            }
            for execution in entry.executions.iter_mut() {
                execution.queued = execution.queued.map(|at| at.saturating_sub(origin));
                execution.submitted = execution.submitted.map(|at| at.saturating_sub(origin));
            }
        }
    }

    pub(super) fn knows(&self, number: u64) -> bool {
        self.rows.contains_key(&number)
    }

    pub(super) fn free_number(&mut self) -> u64 {
        let first = self.first_free.max(self.entries.len() as u64 + 1);
        self.first_free = (first..).find(|number| !self.knows(*number)).unwrap_or_default();
        self.first_free
    }

    pub(super) fn announce(&mut self, row: u32) {
        self.entries[row as usize].announced = true;
    }

    /// Returns the number of queues that were used but never announced.
    pub(super) fn unknown(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.announced).count()
    }
}

impl TraceBuilder {
    pub(super) fn queue(&mut self, queue: &Queue<'_>) {
        let created = self.time(queue.at);
        let process = self.processes.number();
        let row = self.queues.row(queue.queue, process) as usize;
        let (device, device_type) =
            (self.strings.intern(queue.device), self.strings.intern(queue.device_type));
        let entry = &mut self.queues.entries[row];
        entry.announced = true;
        entry.process = process;
        entry.row = QueueRow {
            number: queue.queue,
            order: queue.order,
            device,
            device_type,
            created,
            runtime_id: queue.runtime_id,
            handle: queue.handle,
            device_handle: queue.device_handle,
            context: queue.context,
            ..entry.row
        };
    }

    pub(super) fn queue_destroy(&mut self, at: Timestamp, queue: u64) {
        let at = self.time(at);
        let row = self.queues.row(queue, self.processes.number()) as usize;
        self.queues.entries[row].row.destroyed = Some(at);
    }

    pub(super) fn execution(&mut self, execution: &Execution<'_>) {
        if !self.count_slice() {
            return;
        }
        let start = self.time(execution.start);
        let end = self.time(execution.end);
        if end < start {
            self.diagnostics.count(DiagnosticKind::EndBeforeBegin);
        }
        let queued = execution.queued.map(|at| self.time(at));
        let submitted = execution.submitted.map(|at| self.time(at));
        let slice = SliceRow {
            start,
            end: end.max(start),
            name: self.strings.intern(plain_name(execution.name)),
            args: self.args(execution.args),
            location: LocationId::default(),
            node: self.graph.row(execution.node),
            category: execution.kind.category(),
            unfinished: false,
        };
        let row = self.queues.row(execution.queue, self.processes.number()) as usize;
        // The runtime does not report the queue of a buffer's write-back.
        if let Some(node) = self.graph.nodes.get_mut(slice.node as usize).filter(|node| node.queue == NONE) {
            node.queue = row as u32;
        }
        let entry = &mut self.queues.entries[row];
        entry.slices.push(slice);
        entry.executions.push(PendingExecution { kind: execution.kind, queued, submitted, in_pieces: false });
    }
}
