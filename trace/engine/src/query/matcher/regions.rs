//! The regions of a name (`syclscope.region`, ITT, NVTX, Kokkos, tracepoints): which slices begin in them, and which commands
//! were submitted in them.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, TrackKind};
use syclscope_language::filter::{Condition, Op};

use super::is_text;
use super::memo::Memo;
use crate::cancel;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

/// Regions of one name, of threads and of whole processes.
pub(super) struct Regions {
    /// By the track of a thread: begins and ends in their order, none within another.
    of_thread: FxHashMap<u32, Vec<(u64, u64)>>,
    of_process: FxHashMap<u32, Vec<(u64, u64)>>,
    /// By command.
    nodes: Vec<bool>,
}

impl Regions {
    /// The regions that a condition names, whether it asks for what is in them or for what is not.
    pub(super) fn new(trace: &Trace, condition: &Condition) -> Self {
        let op = if condition.op == Op::IsNot { Op::Is } else { condition.op };
        let mut names = Memo::new(trace.strings.len(), Condition { op, ..condition.clone() });
        let mut regions =
            Self { of_thread: FxHashMap::default(), of_process: FxHashMap::default(), nodes: Vec::new() };
        for (track, row) in (0..).zip(trace.tracks.iter()) {
            let mut spans = Vec::new();
            for lane in row.first_lane as usize..(row.first_lane + row.lanes) as usize {
                for slice in trace.slices.lane(lane) {
                    cancel::row(slice);
                    let name = trace.slices.name.at(slice);
                    if trace.slices.category(slice) == Category::User
                        && names.get(name.0, |condition| is_text(condition, trace.strings.get(name)))
                    {
                        spans.push((trace.slices.start.at(slice), trace.slices.end(slice)));
                    }
                }
            }
            if !spans.is_empty() {
                let all = match thread_of(trace, track, &row) {
                    Some(thread) => regions.of_thread.entry(thread).or_default(),
                    None => regions.of_process.entry(row.process).or_default(),
                };
                all.append(&mut spans);
            }
        }
        regions.of_thread.values_mut().chain(regions.of_process.values_mut()).for_each(join);
        regions.nodes = regions.of_nodes(trace);
        regions
    }

    /// The commands that were submitted in them.
    fn of_nodes(&self, trace: &Trace) -> Vec<bool> {
        let track_of = |slice: u32| trace.tracks.of_lane(trace.slices.lane_of(slice as usize)) as u32;
        let is_in = |(row, node): (usize, crate::store::graph::NodeRow)| {
            cancel::row(row);
            let queue = some(node.queue).and_then(|queue| trace.queues.get(queue)).map(|queue| queue.track);
            let near = some(node.submission).or_else(|| some(node.execution)).map(track_of).or(queue);
            let process = near.and_then(|near| trace.tracks.get(near)).map_or(0, |track| track.process);
            let threads = trace.rows_of_thread(process, node.tid);
            self.are_around(threads, process, node.created)
        };
        trace.nodes.iter().enumerate().map(is_in).collect()
    }

    fn are_around(&self, threads: impl Iterator<Item = u32>, process: u32, at: u64) -> bool {
        let is_in = |spans: Option<&Vec<(u64, u64)>>| {
            spans.is_some_and(|spans| {
                let after = spans.partition_point(|span| span.0 <= at);
                after > 0 && at < spans[after - 1].1
            })
        };
        is_in(self.of_process.get(&process))
            || threads.into_iter().any(|thread| is_in(self.of_thread.get(&thread)))
    }

    /// True if a slice of a track begins in one of them, or was submitted in one.
    pub(super) fn contain(&self, trace: &Trace, row: usize, track: u32) -> bool {
        if row < trace.executions.len()
            && let Some(node) = some(trace.slices.node.at(row))
        {
            return self.nodes.get(node as usize).copied().unwrap_or_default();
        }
        let Some(own) = trace.tracks.get(track) else { return false };
        let thread = thread_of(trace, track, &own);
        self.are_around(thread.into_iter(), own.process, trace.slices.start.at(row))
    }
}

/// The thread of a track: itself, or the one that its stream is of.
fn thread_of(trace: &Trace, track: u32, row: &TrackRow) -> Option<u32> {
    let parent = match row.kind {
        TrackKind::Thread => return Some(track),
        TrackKind::Stream => some(row.parent)?,
        _ => return None,
    };
    trace.tracks.get(parent).filter(|parent| parent.kind == TrackKind::Thread).map(|_| parent)
}

/// Puts spans in order and joins those that overlap.
fn join(spans: &mut Vec<(u64, u64)>) {
    spans.sort_unstable();
    spans.dedup_by(|next, before| {
        let overlaps = next.0 <= before.1;
        if overlaps {
            before.1 = before.1.max(next.1);
        }
        overlaps
    });
}
