//! Estimated times of host tasks' bodies.
//!
//! No runtime reports the body of a host task, only its dispatch. The body can't start before the task was dispatched,
//! its dependences had ended, and the runtime's own thread had waited for them. It has ended before the first dependent
//! command is enqueued, before a wait for it returns, and before the thread of the runtime that had waited for it does
//! anything else. The time between is an upper bound of the body's duration.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, NodeKind};

use super::neighbours::real_neighbours;
use super::submitting_calls;
use crate::id::some;
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;

/// The period in which the body of a host task ran, possibly only for a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Track of the runtime's thread that ran it, if known.
    pub(crate) track: Option<u32>,
}

impl Estimate {
    /// Returns the upper bound of the body's duration.
    pub(crate) fn duration(&self) -> u64 {
        self.to - self.from
    }
}

/// The host tasks with bounds on both sides.
#[derive(Debug, Default)]
pub(crate) struct HostTasks {
    estimates: FxHashMap<u32, Estimate>,
}

cached!(HostTasks { estimates });

impl HostTasks {
    fn new(trace: &Trace) -> Self {
        let mut tasks = Self::default();
        let rows = (0..trace.nodes.len() as u32).filter(|row| is_task(trace, *row));
        let mut rows: Vec<u32> = rows.collect();
        if rows.is_empty() {
            return tasks;
        }
        // A task's sources were created before it.
        rows.sort_by_key(|row| (trace.nodes.created.at(*row as usize), *row));
        let mut bounds = Bounds::new(trace, &rows);
        for row in rows {
            if let Some(estimate) = bounds.estimate(trace, &tasks, row) {
                tasks.estimates.insert(row, estimate);
            }
        }
        tasks
    }

    pub(crate) fn get(&self, node: u32) -> Option<&Estimate> {
        self.estimates.get(&node)
    }
}

impl Trace {
    /// Returns the estimated times of host tasks' bodies. The first call walks over every slice if there are host
    /// tasks.
    pub(crate) fn host_tasks(&self) -> &HostTasks {
        self.shelf.slot().get_or_init(|| HostTasks::new(self))
    }
}

fn is_task(trace: &Trace, node: u32) -> bool {
    trace.nodes.kind.at(node as usize) == NodeKind::HostTask
}

struct Bounds {
    calls: Vec<u32>,
    /// By node: the earliest end of a wait for it.
    waited: FxHashMap<u32, u64>,
    /// By node: waits for it that no task has taken, by start.
    runtime_waits: FxHashMap<u32, VecDeque<usize>>,
}

impl Bounds {
    fn new(trace: &Trace, tasks: &[u32]) -> Self {
        let blocking = trace.blocking();
        let mut waited: FxHashMap<u32, u64> = FxHashMap::default();
        let mut runtime_waits: FxHashMap<u32, VecDeque<usize>> = FxHashMap::default();
        for (number, block) in blocking.blocks().iter().enumerate() {
            for node in blocking.nodes_of(block) {
                waited.entry(*node).and_modify(|end| *end = (*end).min(block.end)).or_insert(block.end);
                runtime_waits.entry(*node).or_default().push_back(number);
            }
        }
        for waits in runtime_waits.values_mut() {
            waits.make_contiguous().sort_unstable_by_key(|wait| (blocking.blocks()[*wait].begin, *wait));
        }
        // A wait for a queue also waits for its host tasks: by queue, the starts of waits, each with the earliest end
        // of that wait and the later ones.
        let mut of_queue: FxHashMap<u64, Vec<(u64, u64)>> = FxHashMap::default();
        for block in blocking.blocks() {
            for queue in blocking.queues_of(trace, block) {
                of_queue.entry(queue).or_default().push((block.begin, block.end));
            }
        }
        for waits in of_queue.values_mut() {
            waits.sort_unstable();
            let mut first = u64::MAX;
            for (_, end) in waits.iter_mut().rev() {
                first = first.min(*end);
                *end = first;
            }
        }
        for task in tasks {
            let node = trace.nodes.row(*task as usize);
            let queue = trace.queues.get(node.queue).and_then(|queue| of_queue.get(&queue.number));
            let waits = queue.map(Vec::as_slice).unwrap_or_default();
            if let Some((_, end)) = waits.get(waits.partition_point(|(begin, _)| *begin < node.created)) {
                waited.entry(*task).and_modify(|known| *known = (*known).min(*end)).or_insert(*end);
            }
        }
        Self { calls: submitting_calls(trace), waited, runtime_waits }
    }

    /// Returns the estimate of a task. Callers pass tasks in the order of their creation. Each task takes the first
    /// wait of a thread of the runtime for each of its sources.
    fn estimate(&mut self, trace: &Trace, tasks: &HostTasks, task: u32) -> Option<Estimate> {
        let node = trace.nodes.row(task as usize);
        let slices = &trace.slices;
        let mut from = some(node.submission).map_or(node.created, |slice| slices.start.at(slice as usize));
        let own =
            some(node.submission).map(|slice| trace.tracks.of_lane(slices.lane_of(slice as usize)) as u32);
        let mut track = None;
        let blocks = trace.blocking().blocks();
        let mut sources: Vec<u32> = real_neighbours(trace, task, true).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let execution = some(trace.nodes.execution.at(source as usize));
            let end = execution.map(|slice| slices.end(slice as usize));
            from = from.max(end.or_else(|| Some(tasks.get(source)?.to)).unwrap_or(0));
            let Some(waits) = self.runtime_waits.get_mut(&source) else { continue };
            while waits.front().is_some_and(|wait| blocks[*wait].begin < node.created) {
                waits.pop_front();
            }
            let is_of_runtime = |wait: &usize| {
                let block = &blocks[*wait];
                let tid = trace.tracks.get(block.track).map(|track| track.tid);
                Some(block.track) != own && tid != Some(node.tid)
            };
            let taken = waits.iter().position(is_of_runtime).and_then(|place| waits.remove(place));
            if let Some(wait) = taken {
                from = from.max(blocks[wait].end);
                track = Some(blocks[wait].track);
            }
        }
        let began = real_neighbours(trace, task, false).filter_map(|target| {
            let execution = some(trace.nodes.execution.at(target as usize));
            let handed = some(self.calls[target as usize]).or(execution);
            handed.map(|slice| slices.start.at(slice as usize))
        });
        let next = track.and_then(|track| next_slice(trace, track, from));
        // Anything that started before the body could start did not wait for it.
        let ends = began.chain(self.waited.get(&task).copied()).chain(next);
        let to = ends.filter(|to| *to >= from).min()?;
        Some(Estimate { from, to, track })
    }
}

/// Maximum number of releases of memory that are skipped; behind more, the result is unknown.
pub(crate) const MAX_RELEASES: usize = 64;

/// Returns the start of a thread's next slice that is not a release of memory: the task may release memory itself.
fn next_slice(trace: &Trace, track: u32, from: u64) -> Option<u64> {
    let row = trace.tracks.get(track)?;
    let rows = trace.slices.lane(row.first_lane as usize);
    let starts = trace.slices.start.get(rows.clone())?;
    let next = rows.start + starts.partition_point(|start| *start < from)..rows.end;
    next.take(MAX_RELEASES).find(|row| !releases_memory(trace, *row)).map(|row| trace.slices.start.at(row))
}

pub(crate) fn releases_memory(trace: &Trace, slice: usize) -> bool {
    let name = || trace.strings.get(trace.slices.name.at(slice));
    trace.slices.category(slice) == Category::Call
        && ["USMFree", "MemRelease"].iter().any(|part| name().contains(part))
}
