//! Idle times of queues by cause.
//!
//! The time between two executions of a queue (and from its creation to the first) is split by the reason why the next
//! command did not run: first the host had not submitted it, then the last command or host task that it depends on had
//! not ended, then the device ran other queues' commands; the rest is latency in the runtime and driver.

use std::ops::Range;

use syclscope_language::event::NodeKind;

use super::end_times::EndTimes;
use super::{queues_of_tracks, submitting_calls};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::QueueRow;
use crate::stretches::within;

/// A queue's time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Idle {
    pub(crate) executions: u64,
    /// Time in which at least one command ran.
    pub(crate) busy_ns: u64,
    /// Time in which the next command was not submitted yet.
    pub(crate) host_ns: u64,
    /// Time in which the next command was submitted, and its dependences had not ended.
    pub(crate) dependence_ns: u64,
    /// Time in which the next command could have run, and the device ran those of other queues.
    pub(crate) other_ns: u64,
    /// Time in which the next command could have run, and the device was idle.
    pub(crate) ready_ns: u64,
    /// Time after the last command.
    pub(crate) after_ns: u64,
}

/// Start, end and node of executions.
type Executions = Vec<(u64, u64, u32)>;

/// The ends of dependences.
struct Dependences<'t> {
    trace: &'t Trace,
    ends: EndTimes,
    /// By node: the slice of the call that enqueued it, or `NONE`.
    calls: Vec<u32>,
}

impl<'t> Dependences<'t> {
    fn new(trace: &'t Trace) -> Self {
        Self { trace, ends: EndTimes::new(trace), calls: submitting_calls(trace) }
    }

    /// Returns the time until which a command that started at `start` waited for its dependences; 0 if it has none.
    fn ended(&self, node: u32, start: u64) -> u64 {
        let sources = self.trace.edges.incoming(node).map(|edge| edge.source);
        let ended = sources.filter_map(|source| Some(self.ends.get(source)?.at)).max().unwrap_or(0);
        if !self.is_behind_task(node) {
            return ended;
        }
        // The runtime enqueues a command behind a host task only once the task has run.
        let call = self.calls.get(node as usize).copied().and_then(some);
        ended.max(call.map_or(start, |call| self.trace.slices.start.at(call as usize)))
    }

    fn is_behind_task(&self, node: u32) -> bool {
        self.trace.edges.incoming(node).map(|edge| edge.source).any(|source| {
            self.trace.nodes.kind.at(source as usize) == NodeKind::HostTask
                || self.ends.get(source).is_some_and(|end| some(end.task).is_some())
        })
    }

    /// Returns the time at which the host had submitted a command. A thread of the runtime submits a command behind a
    /// host task once the task has run: the program had requested it before.
    fn submitted(&self, node: u32) -> Option<u64> {
        let trace = self.trace;
        let row = trace.nodes.get(node)?;
        let Some(submission) = some(row.submission) else { return Some(row.created) };
        let track = trace.tracks.of_lane(trace.slices.lane_of(submission as usize)) as u32;
        let is_by_runtime = row.tid != 0 && trace.tracks.get(track).is_some_and(|track| track.tid != row.tid);
        let is_late = is_by_runtime && self.is_behind_task(node);
        Some(if is_late { row.created } else { trace.slices.end(submission as usize) })
    }
}

/// Returns the time of each queue by row within `range`, from its creation to its end or the end of the trace. `busy`
/// returns the nanoseconds within a range in which a queue's device ran commands.
pub(crate) fn of_queues(
    trace: &Trace,
    range: &Range<u64>,
    busy: impl Fn(usize, Range<u64>) -> u64,
) -> Vec<Idle> {
    let mut executions: Vec<Executions> = vec![Vec::new(); trace.queues.len()];
    let (queues, dependences) = (queues_of_tracks(trace), Dependences::new(trace));
    for row in trace.device_work() {
        let queue = queues[trace.tracks.of_lane(trace.slices.lane_of(row))];
        if let Some(place) = executions.get_mut(queue as usize) {
            place.push((trace.slices.start.at(row), trace.slices.end(row), trace.slices.node.at(row)));
        }
    }
    let of_queue = |(row, (mut executions, queue)): (usize, (Executions, QueueRow))| {
        executions.sort_unstable();
        let mut idle = Idle::default();
        let mut until = queue.created;
        for (start, end, node) in executions {
            if start > until {
                gap(&dependences, until..start, node, range, &mut idle, |range| busy(row, range));
            }
            idle.executions += u64::from(start < range.end && (end > range.start || start >= range.start));
            idle.busy_ns += within(range, start.max(until), end);
            until = until.max(end);
        }
        idle.after_ns = within(range, until, queue.destroyed.unwrap_or(trace.duration_ns));
        idle
    };
    executions.into_iter().zip(trace.queues.iter()).enumerate().map(of_queue).collect()
}

fn gap(
    dependences: &Dependences<'_>,
    Range { start: from, end: to }: Range<u64>,
    node: u32,
    range: &Range<u64>,
    idle: &mut Idle,
    busy: impl Fn(Range<u64>) -> u64,
) {
    if to <= range.start || from >= range.end {
        return;
    }
    // The submission time of native work without a command is unknown.
    let Some(submitted) = dependences.submitted(node) else { return };
    let submitted = submitted.clamp(from, to);
    let free = dependences.ended(node, to).clamp(submitted, to);
    idle.host_ns += within(range, from, submitted);
    idle.dependence_ns += within(range, submitted, free);
    let rest_ns = within(range, free, to);
    let other_ns = if rest_ns == 0 { 0 } else { busy(free.max(range.start)..to.min(range.end)).min(rest_ns) };
    idle.other_ns += other_ns;
    idle.ready_ns += rest_ns - other_ns;
}
