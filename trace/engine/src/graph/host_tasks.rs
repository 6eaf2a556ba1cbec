//! Bounds of the times of host tasks' bodies.
//!
//! No runtime reports the body of a host task, only its dispatch. The body can't start before the task was dispatched,
//! its dependences had ended, and the runtime's own thread had waited for them. It has ended before the runtime
//! enqueues a dependent command, before a wait for it returns, and before its thread begins another host task. The body
//! may have taken a small part of the time between.

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

/// Lower bound of the start of a host task's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begin {
    pub(crate) from: u64,
    /// Track of the runtime's thread that ran it, if known.
    pub(crate) track: Option<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct HostTasks {
    begins: FxHashMap<u32, Begin>,
    /// The host tasks with bounds on both sides.
    estimates: FxHashMap<u32, Estimate>,
}

cached!(HostTasks { begins, estimates });

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
        let begins: Vec<(u32, Begin)> = rows
            .into_iter()
            .map(|row| {
                let begin = bounds.begin(trace, &tasks, row);
                tasks.begins.insert(row, begin);
                (row, begin)
            })
            .collect();
        for (row, begin) in begins {
            let Begin { from, track } = begin;
            if let Some(to) = bounds.end(trace, row, begin) {
                tasks.estimates.insert(row, Estimate { from, to, track });
            }
        }
        tasks
    }

    pub(crate) fn get(&self, node: u32) -> Option<&Estimate> {
        self.estimates.get(&node)
    }

    pub(crate) fn begin(&self, node: u32) -> Option<&Begin> {
        self.begins.get(&node)
    }
}

impl Trace {
    /// Returns the bounds of the times of host tasks' bodies. The first call walks over every slice if there are host
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
    /// By slice of a wait that a task has taken: the time of the task's request.
    requests: FxHashMap<u32, u64>,
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
        Self { calls: submitting_calls(trace), waited, runtime_waits, requests: FxHashMap::default() }
    }

    /// Returns the lower bound of a task. Callers pass tasks in the order of their creation. Each task takes the first
    /// wait of a thread of the runtime for each of its sources.
    fn begin(&mut self, trace: &Trace, tasks: &HostTasks, task: u32) -> Begin {
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
            from = from.max(end.or_else(|| Some(tasks.begin(source)?.from)).unwrap_or(0));
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
                self.requests.insert(blocks[wait].slice, node.created);
            }
        }
        Begin { from, track }
    }

    /// Returns the upper bound of a task, when all tasks have taken their waits.
    fn end(&self, trace: &Trace, task: u32, begin: Begin) -> Option<u64> {
        let enqueued = real_neighbours(trace, task, false).flat_map(|target| self.enqueued(trace, target));
        let ends = enqueued.chain(self.waited.get(&task).copied()).chain(self.next_task(trace, begin));
        // Anything that started before the body could start did not wait for it.
        ends.filter(|to| *to >= begin.from).min()
    }

    /// Returns the starts of a command's submission by a thread that did not request it, of the call that enqueued it,
    /// and of its execution.
    fn enqueued(&self, trace: &Trace, node: u32) -> impl Iterator<Item = u64> {
        let row = trace.nodes.row(node as usize);
        let is_of_runtime = |slice: &u32| {
            let track = trace.tracks.of_lane(trace.slices.lane_of(*slice as usize)) as u32;
            row.tid != 0 && trace.tracks.get(track).is_some_and(|track| track.tid != row.tid)
        };
        let submission = some(row.submission).filter(is_of_runtime);
        let slices = [submission, some(self.calls[node as usize]), some(row.execution)];
        slices.map(|slice| slice.map(|slice| trace.slices.start.at(slice as usize))).into_iter().flatten()
    }

    /// Returns the start of the wait before the next task on a task's thread, if that task had been requested when this
    /// one could begin: otherwise the thread may have been idle in between.
    fn next_task(&self, trace: &Trace, begin: Begin) -> Option<u64> {
        let next = next_slice(trace, begin.track?, begin.from)?;
        let requested = self.requests.get(&(next as u32))?;
        (*requested <= begin.from).then(|| trace.slices.start.at(next))
    }
}

/// Maximum number of releases of memory that are skipped; behind more, the result is unknown.
pub(crate) const MAX_RELEASES: usize = 64;

/// Returns a thread's next slice that is not a release of memory: the task may release memory itself.
fn next_slice(trace: &Trace, track: u32, from: u64) -> Option<usize> {
    let row = trace.tracks.get(track)?;
    let rows = trace.slices.lane(row.first_lane as usize);
    let starts = trace.slices.start.get(rows.clone())?;
    let next = rows.start + starts.partition_point(|start| *start < from)..rows.end;
    next.take(MAX_RELEASES).find(|row| !releases_memory(trace, *row))
}

pub(crate) fn releases_memory(trace: &Trace, slice: usize) -> bool {
    let name = || trace.strings.get(trace.slices.name.at(slice));
    match trace.slices.category(slice) {
        Category::Call => ["USMFree", "MemRelease"].iter().any(|part| name().contains(part)),
        Category::Memory => name().contains("free"),
        _ => false,
    }
}
