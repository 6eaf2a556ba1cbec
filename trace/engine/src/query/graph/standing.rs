//! Relation of each node to the critical path, and sums of nodes for views.

use syclscope_language::event::Value;

use crate::graph::path::PieceKind;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) struct Standing {
    pub(super) slack_ns: Vec<u64>,
    pub(super) is_critical: Vec<bool>,
    /// Nodes that follow one another on the critical path, sorted.
    along: Vec<(u32, u32)>,
}

impl Standing {
    /// Computes the standing of every node from the replay of the run and its critical path.
    pub(super) fn new(trace: &Trace) -> Self {
        let graph = trace.run_graph();
        let count = trace.nodes.len();
        let mut standing = Self {
            slack_ns: (0..count as u32).map(|node| graph.schedule.slack_ns(node)).collect(),
            is_critical: vec![false; count],
            along: Vec::new(),
        };
        let mut before = None;
        for piece in &graph.path.pieces {
            match piece.kind {
                PieceKind::Command(node) | PieceKind::HostTask(node) => {
                    standing.is_critical[node as usize] = true;
                    standing.slack_ns[node as usize] = 0;
                    standing.along.extend(before.replace(node).map(|before| (before, node)));
                }
                PieceKind::Launch(_) => {}
                PieceKind::Start
                | PieceKind::Unknown
                | PieceKind::Thread(_)
                | PieceKind::Wait(_)
                | PieceKind::Native(_)
                | PieceKind::End => before = None,
            }
        }
        standing.along.sort_unstable();
        standing
    }

    pub(super) fn is_along(&self, source: u32, target: u32) -> bool {
        self.along.binary_search(&(source, target)).is_ok()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
    pub(super) has_run: bool,
    /// Time from the end of the submission to the start on the device.
    pub(super) delay_ns: u64,
}

impl Run {
    pub(super) fn new(trace: &Trace, node: u32) -> Self {
        let row = trace.nodes.row(node as usize);
        let Some(slice) = some(row.execution).map(|slice| slice as usize) else {
            return Self { begin_ns: row.created, end_ns: row.created, ..Self::default() };
        };
        let begin_ns = trace.slices.start.at(slice);
        let submitted = some(row.submission).map(|slice| trace.slices.end(slice as usize));
        Self {
            begin_ns,
            end_ns: trace.slices.end(slice),
            has_run: true,
            delay_ns: submitted.map_or(0, |submitted| begin_ns.saturating_sub(submitted)),
        }
    }

    pub(super) fn duration_ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }
}

/// Interval in which several nodes ran: from the first start to the last end. Nodes that did not run count only if none
/// did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
    is_known: bool,
    has_run: bool,
}

impl Extent {
    pub(super) fn add(&mut self, run: &Run) {
        if !self.is_known || (run.has_run && !self.has_run) {
            let Run { begin_ns, end_ns, has_run, .. } = *run;
            *self = Self { begin_ns, end_ns, is_known: true, has_run };
        } else if run.has_run == self.has_run {
            self.begin_ns = self.begin_ns.min(run.begin_ns);
            self.end_ns = self.end_ns.max(run.end_ns);
        }
    }
}

pub(super) fn bytes(trace: &Trace, node: u32) -> u64 {
    let Some(slice) = some(trace.nodes.execution.at(node as usize)) else { return 0 };
    let args = trace.slices.args.at(slice as usize);
    match trace.args.get(args, &trace.strings).find(|(name, _)| *name == "bytes") {
        Some((_, Value::Uint(bytes))) => bytes,
        _ => 0,
    }
}
