//! Regions by name (`syclscope.region`, ITT, NVTX, Kokkos, tracepoints): the slices that begin in them, and the
//! commands submitted in them.

use rustc_hash::FxHashMap;
use syclscope_language::filter::{Condition, Op};

use super::Memo;
use super::is_text;
use crate::cancel;
use crate::id::some;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Regions of one name, of threads and of whole processes.
pub(super) struct Regions {
    of_thread: FxHashMap<u32, Stretches>,
    of_process: FxHashMap<u32, Stretches>,
}

impl Regions {
    /// Returns the regions that a condition names. Walks over all regions.
    pub(super) fn new(trace: &Trace, condition: &Condition) -> Self {
        let op = if condition.op == Op::IsNot { Op::Is } else { condition.op };
        let mut names = Memo::new(trace.strings.len(), Condition { op, ..condition.clone() });
        let (mut of_thread, mut of_process) = (FxHashMap::default(), FxHashMap::default());
        for of_track in trace.region_slices().chunk_by(|one, other| one.0 == other.0) {
            let track = of_track[0].0;
            let row = trace.tracks.row(track as usize);
            let is_it = |slice: &usize| {
                cancel::row(*slice);
                let name = trace.slices.name.at(*slice);
                names.get(name.0, |condition| is_text(condition, trace.strings.get(name)))
            };
            let slices = of_track.iter().map(|(_, slice)| *slice as usize).filter(is_it);
            let spans = slices.map(|slice| trace.slices.interval(slice));
            let all: &mut Vec<(u64, u64)> = match trace.thread_of_track(track, &row) {
                Some(thread) => of_thread.entry(thread).or_default(),
                None => of_process.entry(row.process).or_default(),
            };
            all.extend(spans);
        }
        Self { of_thread: joined(of_thread), of_process: joined(of_process) }
    }

    fn are_around(&self, mut threads: impl Iterator<Item = u32>, process: u32, at: u64) -> bool {
        let is_in = |spans: Option<&Stretches>| spans.is_some_and(|spans| spans.contains(at));
        is_in(self.of_process.get(&process)) || threads.any(|thread| is_in(self.of_thread.get(&thread)))
    }

    /// True if a slice of a track begins in one of the regions, or its command was submitted in one.
    pub(super) fn contain(&self, trace: &Trace, row: usize, track: u32) -> bool {
        if row < trace.executions.len()
            && let Some(node) = some(trace.slices.node.at(row))
        {
            return trace.nodes.get(node).is_some_and(|node| self.contain_node(trace, &node));
        }
        let Some(own) = trace.tracks.get(track) else { return false };
        let thread = trace.thread_of_track(track, &own);
        self.are_around(thread.into_iter(), own.process, trace.slices.start.at(row))
    }

    fn contain_node(&self, trace: &Trace, node: &NodeRow) -> bool {
        let process = trace.process_of_node(node);
        self.are_around(trace.rows_of_thread(process, node.tid), process, node.created)
    }
}

fn joined(spans: FxHashMap<u32, Vec<(u64, u64)>>) -> FxHashMap<u32, Stretches> {
    spans.into_iter().map(|(number, spans)| (number, Stretches::new(spans))).collect()
}
