//! The graph of a run: commands that take device time, and the host's threads that submit them and wait.
//!
//! Steps are, in this order, the nodes of the trace, the host's waits, the threads (the first known moment of each), and
//! the joins of threads. A thread's waits and joins follow one another; its own work between two of them, and between one
//! of them and a submission, is the arc's lag. A wait's duration is the part that the awaited commands don't explain.

mod change;
pub(in crate::graph) mod host;
pub(in crate::graph) mod unnamed;

use rustc_hash::FxHashMap;
use syclscope_language::event::{EdgeReason, QueueOrder};

pub(crate) use self::change::Change;
pub(crate) use self::host::Thread;
use self::host::{Host, Join};
use super::launches::Launches;
use super::{Arc, Steps};
use crate::id::some;
use crate::store::cache::cached;
use crate::store::table::Table as _;
use crate::store::{Trace, cycles};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Constraints<'l> {
    /// Dependences, the order of queues and devices, launches, waits of the host and its own work: the run as recorded.
    All(&'l Launches),
    /// Dependences alone, as on a machine with unlimited resources.
    Dependences,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A node, by row.
    Node(u32),
    /// A wait of the host, by slice.
    Wait(u32),
    /// The first known moment of a thread, by track.
    Thread(u32),
    /// The end of threads that a thread waited for, by the track of that thread.
    Join(u32),
}

#[derive(Debug)]
pub(crate) struct Commands {
    pub(crate) steps: Steps,
    nodes: u32,
    /// Slices that represent the waits.
    waits: Vec<u32>,
    threads: Vec<Thread>,
    joins: Vec<Join>,
}

cached!(Commands { steps, waits, threads, joins });

impl Commands {
    /// Returns the graph of a changed run under these constraints. A host task takes no time: only an upper bound is
    /// known.
    pub(crate) fn new(trace: &Trace, constraints: Constraints<'_>, change: &Change) -> Self {
        let nodes = trace.nodes.len() as u32;
        let device_time = |node: u32| {
            let execution = some(trace.nodes.execution.at(node as usize));
            execution.map_or(0, |slice| trace.slices.duration.at(slice as usize))
        };
        let mut durations: Vec<u64> =
            (0..nodes).map(|node| change.takes_ns(node, device_time(node))).collect();
        let mut arcs: Vec<Arc> = Vec::new();
        for edge in trace.edges.rows.iter() {
            let counts = match constraints {
                // Device clocks are not exact: a source that started later did not delay its target.
                Constraints::All(_) => {
                    !is_turned(trace, edge.source, edge.target) && !change.drops(trace, &edge)
                }
                Constraints::Dependences => edge.reason != EdgeReason::InOrder,
            };
            if counts {
                arcs.push(Arc { source: edge.source, target: edge.target, lag_ns: 0 });
            }
        }
        let (mut waits, mut threads, mut joins) = (Vec::new(), Vec::new(), Vec::new());
        if let Constraints::All(launches) = constraints {
            let mut order = Vec::new();
            in_order(trace, &mut order);
            order.retain(|arc| !change.is_unordered(trace, arc.target));
            arcs.extend(order);
            let link = |(source, target): &(u32, u32)| Arc { source: *source, target: *target, lag_ns: 0 };
            arcs.extend(change.instead.iter().map(link));
            unnamed::one_by_one(trace, &mut arcs);
            let host = Host::new(trace, launches, change);
            arcs.extend(host.arcs);
            let takes = |node: u32| (durations[node as usize], device_time(node));
            launches.delay(&mut arcs, takes, |node| change.removed.contains(&node));
            let from_begin = |(source, target): &(u32, u32)| {
                let takes_ns = durations[*source as usize].cast_signed();
                Arc { source: *source, target: *target, lag_ns: -takes_ns }
            };
            arcs.extend(change.relaxed.iter().map(from_begin));
            durations.extend(host.waits_ns);
            durations.extend(host.threads_ns);
            durations.extend(host.joins.iter().map(|_| 0));
            waits = trace.blocking().blocks().iter().map(|block| block.slice).collect();
            (threads, joins) = (host.threads, host.joins);
            let ends = trace.blocking().blocks().iter().map(|block| block.end);
            let began: Vec<u64> = (0..trace.nodes.len())
                .map(|node| began(trace, node))
                .chain(ends)
                .chain(threads.iter().map(|thread| thread.first))
                .chain(joins.iter().map(|join| join.to))
                .collect();
            without_cycles(&mut arcs, &began);
        }
        Self { steps: Steps::new(durations, arcs), nodes, waits, threads, joins }
    }

    pub(crate) fn wait(&self, trace: &Trace, slice: u32) -> Option<u32> {
        let outermost = trace.blocking().of_slice(slice)?.slice;
        let wait = self.waits.iter().position(|wait| *wait == outermost)?;
        Some(self.nodes + wait as u32)
    }

    pub(crate) fn step(&self, step: u32) -> Step {
        let Some(wait) = step.checked_sub(self.nodes) else { return Step::Node(step) };
        match self.waits.get(wait as usize) {
            Some(slice) => Step::Wait(*slice),
            None => match self.join(step) {
                Some(join) => Step::Join(join.track),
                None => Step::Thread(self.thread(step).map_or(0, |thread| thread.track)),
            },
        }
    }

    pub(crate) fn thread(&self, step: u32) -> Option<Thread> {
        self.threads.get((step as usize).checked_sub(self.nodes as usize + self.waits.len())?).copied()
    }

    pub(crate) fn join(&self, step: u32) -> Option<&Join> {
        let before = self.nodes as usize + self.waits.len() + self.threads.len();
        self.joins.get((step as usize).checked_sub(before)?)
    }
}

/// True if a command started on its device after one that depends on it.
fn is_turned(trace: &Trace, source: u32, target: u32) -> bool {
    let start = |node: u32| {
        let execution = some(trace.nodes.execution.at(node as usize))?;
        Some(trace.slices.start.at(execution as usize))
    };
    start(source).zip(start(target)).is_some_and(|(source, target)| source > target)
}

/// Returns the time at which a command started on its device, or was created.
fn began(trace: &Trace, node: usize) -> u64 {
    let execution = some(trace.nodes.execution.at(node));
    execution.map_or_else(|| trace.nodes.created.at(node), |slice| trace.slices.start.at(slice as usize))
}

/// Removes arcs that contradict others, keeping the order in which steps started.
fn without_cycles(arcs: &mut Vec<Arc>, began: &[u64]) {
    let is_forward = |arc: &Arc| began[arc.source as usize] < began[arc.target as usize];
    if arcs.iter().all(is_forward) {
        return;
    }
    let links: Vec<(u32, u32)> = arcs.iter().map(|arc| (arc.source, arc.target)).collect();
    let mut against = cycles::against_order(began.len(), &links, |step| began[step as usize]).into_iter();
    arcs.retain(|_| !against.next().unwrap_or(false));
}

/// Adds arcs between consecutive commands of in-order queues, which need no edge in the file.
pub(crate) fn in_order(trace: &Trace, arcs: &mut Vec<Arc>) {
    let mut last: FxHashMap<u32, u32> = FxHashMap::default();
    let mut rows: Vec<u32> = (0..trace.nodes.len() as u32).collect();
    rows.retain(|row| some(trace.nodes.execution.at(*row as usize)).is_some());
    // A command that a host task delayed is handed over later than its submission suggests: the device's times give the
    // order.
    rows.sort_by_cached_key(|row| {
        let slice = trace.nodes.execution.at(*row as usize) as usize;
        (trace.slices.start.at(slice), trace.slices.end(slice), trace.nodes.created.at(*row as usize), *row)
    });
    for row in rows {
        let queue = some(trace.nodes.queue.at(row as usize))
            .filter(|queue| trace.queues.get(*queue).is_some_and(|queue| queue.order == QueueOrder::InOrder));
        let Some(queue) = queue else { continue };
        if let Some(before) = last.insert(queue, row) {
            arcs.push(Arc { source: before, target: row, lag_ns: 0 });
        }
    }
}
