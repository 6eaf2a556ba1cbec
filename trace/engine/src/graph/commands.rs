//! The graph of what a run did: commands that take device time, and the host's threads that submit them and wait.
//!
//! Steps are, in this order, the nodes of the trace, the host's waits, and the threads (their begin, at the start of
//! the trace). A thread's waits follow one another; what it did between two of them, and between a wait and a
//! submission, is the arc's lag.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, EdgeReason, QueueOrder, TrackKind, Value};

use super::{Arc, Steps};
use crate::id::some;
use crate::store::Trace;
use crate::store::kept::kept;
use crate::store::table::Table as _;

/// Which constraints count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraints {
    /// Dependences, the order of in-order queues, waits of the host and its own work: the run as it was.
    All,
    /// Dependences alone: what a machine without bounds would keep to.
    Dependences,
}

/// What a step stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A node, by row.
    Node(u32),
    /// A wait of the host, by slice.
    Wait(u32),
    /// The begin of a thread, by track.
    Thread(u32),
}

/// The graph of a trace's commands.
#[derive(Debug)]
pub(crate) struct Commands {
    pub(crate) steps: Steps,
    nodes: u32,
    waits: Vec<HostWait>,
    threads: Vec<u32>,
}

kept!(Commands { steps, waits, threads });

#[derive(Debug)]
struct HostWait {
    slice: u32,
    track: u32,
    begin: u64,
    end: u64,
}

impl Commands {
    /// The graph under these constraints; `duration` gives the time of a node from its row and its recorded device
    /// time, so that a caller can ask "what if".
    pub(crate) fn new(trace: &Trace, constraints: Constraints, duration: impl Fn(u32, u64) -> u64) -> Self {
        let nodes = trace.nodes.len() as u32;
        let device_time = |node: u32| {
            let execution = some(trace.nodes.execution.at(node as usize));
            execution.map_or(0, |slice| trace.slices.duration.at(slice as usize))
        };
        let mut durations: Vec<u64> = (0..nodes).map(|node| duration(node, device_time(node))).collect();
        let mut arcs: Vec<Arc> = Vec::new();
        for edge in trace.edges.rows.iter() {
            if constraints == Constraints::All || edge.reason != EdgeReason::InOrder {
                arcs.push(Arc { source: edge.source, target: edge.target, lag_ns: 0 });
            }
        }
        let (mut waits, mut threads) = (Vec::new(), Vec::new());
        if constraints == Constraints::All {
            in_order(trace, &mut arcs);
            waits = host_waits(trace);
            Host::new(trace, nodes, &waits).link(&mut threads, &mut arcs);
            durations.resize(nodes as usize + waits.len() + threads.len(), 0);
        }
        Self { steps: Steps::new(durations, arcs), nodes, waits, threads }
    }

    /// The step of a wait of the host, by its slice.
    pub(crate) fn wait(&self, slice: u32) -> Option<u32> {
        let wait = self.waits.iter().position(|wait| wait.slice == slice)?;
        Some(self.nodes + wait as u32)
    }

    /// What a step stands for.
    pub(crate) fn step(&self, step: u32) -> Step {
        let Some(wait) = step.checked_sub(self.nodes) else { return Step::Node(step) };
        match self.waits.get(wait as usize) {
            Some(known) => Step::Wait(known.slice),
            None => {
                let thread = wait as usize - self.waits.len();
                Step::Thread(self.threads.get(thread).copied().unwrap_or_default())
            }
        }
    }
}

/// Commands of an in-order queue run one after the other, whether or not the file has an edge for it.
pub(crate) fn in_order(trace: &Trace, arcs: &mut Vec<Arc>) {
    let mut last: FxHashMap<u32, u32> = FxHashMap::default();
    let mut rows: Vec<u32> = (0..trace.nodes.len() as u32).collect();
    rows.sort_by_key(|row| (trace.nodes.created.at(*row as usize), *row));
    for row in rows {
        let node = trace.nodes.row(row as usize);
        let queue = some(node.queue)
            .filter(|queue| trace.queues.get(*queue).is_some_and(|queue| queue.order == QueueOrder::InOrder));
        let Some(queue) = queue.filter(|_| some(node.execution).is_some()) else { continue };
        if let Some(before) = last.insert(queue, row) {
            arcs.push(Arc { source: before, target: row, lag_ns: 0 });
        }
    }
}

/// The host's waits in the order of their end.
fn host_waits(trace: &Trace) -> Vec<HostWait> {
    let slices = &trace.slices;
    let mut waits: Vec<HostWait> = (0..slices.len())
        .filter(|row| slices.category(*row) == Category::Wait)
        .map(|row| HostWait {
            slice: row as u32,
            track: trace.tracks.of_lane(slices.lane_of(row)) as u32,
            begin: slices.start.at(row),
            end: slices.end(row),
        })
        .collect();
    waits.sort_by_key(|wait| (wait.end, wait.begin, wait.slice));
    waits
}

/// Links threads, waits and submissions.
struct Host<'t> {
    trace: &'t Trace,
    nodes: u32,
    waits: &'t [HostWait],
}

impl<'t> Host<'t> {
    fn new(trace: &'t Trace, nodes: u32, waits: &'t [HostWait]) -> Self {
        Self { trace, nodes, waits }
    }

    fn link(&self, threads: &mut Vec<u32>, arcs: &mut Vec<Arc>) {
        let submissions = self.submissions();
        self.link_threads(&submissions, threads, arcs);
        self.link_waited(&submissions, arcs);
    }

    /// Node, track and begin of each submission in the order of time. A thread of the runtime that submits what another
    /// thread asked for before decides nothing: then that thread counts, and when it asked.
    fn submissions(&self) -> Vec<(u32, u32, u64)> {
        let trace = self.trace;
        let mut threads: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (number, track) in
            trace.tracks.iter().enumerate().filter(|(_, track)| track.kind == TrackKind::Thread)
        {
            threads.entry((track.process, track.tid)).or_insert(number as u32);
        }
        let mut submissions: Vec<_> = trace
            .nodes
            .iter()
            .enumerate()
            .filter_map(|(row, node)| {
                let slice = some(node.submission)? as usize;
                let (track, begin) =
                    (trace.tracks.of_lane(trace.slices.lane_of(slice)) as u32, trace.slices.start.at(slice));
                let own = trace.tracks.get(track)?;
                let asked =
                    Some(node.tid).filter(|tid| *tid != 0 && *tid != own.tid && node.created <= begin);
                let asking = asked.and_then(|tid| threads.get(&(own.process, tid)));
                Some(asking.map_or((row as u32, track, begin), |thread| (row as u32, *thread, node.created)))
            })
            .collect();
        submissions.sort_by_key(|(row, _, begin)| (*begin, *row));
        submissions
    }

    /// A thread's waits follow one another, and each submission follows the last wait before it.
    fn link_threads(&self, submissions: &[(u32, u32, u64)], threads: &mut Vec<u32>, arcs: &mut Vec<Arc>) {
        let first_thread = self.nodes + self.waits.len() as u32;
        // The last point of each thread: its step, and when it was.
        let mut last: FxHashMap<u32, (u32, u64)> = FxHashMap::default();
        let mut point = |track: u32, threads: &mut Vec<u32>, new: Option<(u32, u64)>| {
            let before = *last.entry(track).or_insert_with(|| {
                threads.push(track);
                (first_thread + threads.len() as u32 - 1, 0)
            });
            if let Some(new) = new {
                last.insert(track, new);
            }
            before
        };
        let mut submitted = submissions.iter().peekable();
        for (row, wait) in self.waits.iter().enumerate() {
            while let Some((node, track, begin)) = submitted.next_if(|(_, _, begin)| *begin < wait.end) {
                let (source, at) = point(*track, threads, None);
                arcs.push(Arc { source, target: *node, lag_ns: begin.saturating_sub(at) });
            }
            let step = self.nodes + row as u32;
            let (source, at) = point(wait.track, threads, Some((step, wait.end)));
            arcs.push(Arc { source, target: step, lag_ns: wait.begin.saturating_sub(at) });
        }
        for (node, track, begin) in submitted {
            let (source, at) = point(*track, threads, None);
            arcs.push(Arc { source, target: *node, lag_ns: begin.saturating_sub(at) });
        }
    }

    /// A wait ends after what it waited for: a command, or all that was submitted to a queue before.
    fn link_waited(&self, submissions: &[(u32, u32, u64)], arcs: &mut Vec<Arc>) {
        let mut queues: FxHashMap<u32, Vec<(u64, u32)>> = FxHashMap::default();
        for (node, _, begin) in submissions {
            if let Some(queue) = some(self.trace.nodes.queue.at(*node as usize)) {
                queues.entry(queue).or_default().push((*begin, *node));
            }
        }
        let numbers: FxHashMap<u64, u32> =
            self.trace.queues.iter().enumerate().map(|(row, queue)| (queue.number, row as u32)).collect();
        // For each queue: how many of its commands earlier waits have covered, and the last of those waits. Waits are
        // in the order of their end, so that one covers what those before it have covered.
        let mut covered: FxHashMap<u32, (usize, u32)> = FxHashMap::default();
        for (row, wait) in self.waits.iter().enumerate() {
            let target = self.nodes + row as u32;
            if let Some(node) = some(self.trace.slices.node.at(wait.slice as usize)) {
                arcs.push(Arc { source: node, target, lag_ns: 0 });
                continue;
            }
            let queue = self.waited_queue(wait).and_then(|number| numbers.get(&number));
            let Some((queue, commands)) = queue.and_then(|queue| queues.get_key_value(queue)) else {
                continue;
            };
            let until = commands.partition_point(|(begin, _)| *begin < wait.begin);
            let before = covered.insert(*queue, (until, row as u32));
            let from = before.map_or(0, |(from, _)| from.min(until));
            arcs.extend(before.map(|(_, earlier)| Arc { source: self.nodes + earlier, target, lag_ns: 0 }));
            arcs.extend(commands[from..until].iter().map(|(_, node)| Arc {
                source: *node,
                target,
                lag_ns: 0,
            }));
        }
    }

    /// Number of the queue that a wait names.
    fn waited_queue(&self, wait: &HostWait) -> Option<u64> {
        let args = self.trace.slices.args.at(wait.slice as usize);
        let (_, value) = self.trace.args.get(args, &self.trace.strings).find(|(key, _)| *key == "queue")?;
        if let Value::Uint(number) = value { Some(number) } else { None }
    }
}
