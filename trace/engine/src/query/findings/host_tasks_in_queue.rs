//! Host tasks between commands of an in-order queue: the runtime passes the next command to the device only after the
//! task has run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{NodeKind, QueueOrder};

use super::run::{Command, Draft, Run};
use super::touched;
use super::words::time;
use crate::graph::host_tasks::{MAX_RELEASES, releases_memory};
use crate::id::{LocationId, some};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Fewer at a location may be necessary.
const MIN_HOST_TASKS: usize = 8;

/// Maximum number of commands without a device time that a search follows.
const MAX_STEPS: usize = 256;

struct Hold {
    task: Command,
    /// Submission of the first command that waits for the task, or the end of the task's dependences if that is later.
    from: u64,
    /// Start of that command.
    to: u64,
}

/// Host tasks that commands of in-order queues wait for, by queue and source location.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let mut places: FxHashMap<(u32, u32, LocationId), Vec<Hold>> = FxHashMap::default();
    for task in run.commands().iter().filter(|command| command.kind == NodeKind::HostTask) {
        let Some((behind, to)) = first_behind(run.trace, task.node) else { continue };
        let queue = run.trace.nodes.queue.at(behind as usize);
        let sources =
            run.trace.edges.incoming(task.node).filter_map(|edge| execution(run.trace, edge.source));
        let end = sources.map(|slice| run.trace.slices.end(slice)).max();
        let submitted = run.trace.nodes.created.at(behind as usize).max(task.begun);
        let from = end.unwrap_or_default().max(submitted);
        places.entry((task.process, queue, task.location)).or_default().push(Hold { task: *task, from, to });
    }
    places.into_iter().filter_map(|(key, tasks)| finding(run, key, &tasks)).collect()
}

fn execution(trace: &Trace, node: u32) -> Option<usize> {
    some(trace.nodes.execution.at(node as usize)).map(|slice| slice as usize)
}

/// Returns the first command of an in-order queue, with its start, that waits for a host task, directly or through
/// others without a device time. Follows at most [`MAX_STEPS`] of these, those created first: commands behind later ones
/// were submitted later.
fn first_behind(trace: &Trace, task: u32) -> Option<(u32, u64)> {
    let is_in_order =
        |queue: u32| trace.queues.get(queue).is_some_and(|queue| queue.order == QueueOrder::InOrder);
    let with_time = |node: u32| Reverse((trace.nodes.created.at(node as usize), node));
    let mut found: Option<(u32, u64)> = None;
    let mut next = BinaryHeap::from([with_time(task)]);
    let mut seen = FxHashSet::from_iter([task]);
    for _ in 0..MAX_STEPS {
        let Some(Reverse((created, node))) = next.pop() else { break };
        if found.is_some_and(|(_, start)| start <= created) {
            break;
        }
        for edge in trace.edges.outgoing(node) {
            crate::cancel::spend(1);
            let queue = some(trace.nodes.queue.at(edge.target as usize)).filter(|queue| is_in_order(*queue));
            match (execution(trace, edge.target), queue) {
                (Some(slice), Some(_)) => {
                    let start = trace.slices.start.at(slice);
                    if found.is_none_or(|(_, first)| start < first) {
                        found = Some((edge.target, start));
                    }
                }
                (None, _) if seen.insert(edge.target) => next.push(with_time(edge.target)),
                _ => {}
            }
        }
    }
    found
}

fn finding(
    run: &Run<'_>,
    (process, queue, location): (u32, u32, LocationId),
    tasks: &[Hold],
) -> Option<Draft> {
    let spans = tasks.iter().filter(|hold| hold.from < hold.to);
    let late = spans.map(|hold| ((hold.from, hold.to), hold.to - hold.from));
    let touches_ns = touched::late(run, process, late);
    let count = tasks.len();
    if count < MIN_HOST_TASKS || !run.is_worth(touches_ns) {
        return None;
    }
    let number = run.trace.queues.number.at(queue as usize);
    let released = Released::new(run.trace, tasks);
    let submission = |hold: &Hold| hold.task.submitted.saturating_sub(hold.task.begun);
    Some(Draft {
        kind: "host_task_in_queue",
        message: format!(
            "Commands of the in-order queue {number} wait for {count} host tasks{}, and devices were idle for {} meanwhile: the \
             runtime hands a command behind a host task to the device only once the task has run.",
            run.at_place(location),
            time(touches_ns)
        ),
        remedy: released.remedy().to_owned(),
        evidence: [
            format!("Submitting these host tasks took {}.", time(tasks.iter().map(submission).sum())),
            bound(run, tasks),
        ]
        .into_iter()
        .chain(released.evidence())
        .collect(),
        process,
        location,
        slices: tasks.iter().filter_map(|hold| some(hold.task.submission)).collect(),
        nodes: tasks.iter().map(|hold| hold.task.node).collect(),
        count: count as u64,
        touches_ns,
        // The replay keeps the time between the end of a command's dependences and its start, which contains the body
        // of a task.
        change: Err(
            "No runtime records the duration of a host task, so the earliest start of the next command is unknown.",
        ),
        bytes: 0,
        how: "",
        filter: format!("queue:{number} name:\"host task\""),
    })
}

/// Releases of memory in host tasks, on the threads that ran them.
#[derive(Default)]
struct Released {
    /// Host tasks with a known thread.
    tasks: usize,
    /// Host tasks in which memory was released.
    releasing: usize,
    calls: u64,
    calls_ns: u64,
}

impl Released {
    fn new(trace: &Trace, tasks: &[Hold]) -> Self {
        let mut released = Self::default();
        for hold in tasks {
            let Some(begin) = trace.host_tasks().begin(hold.task.node) else { continue };
            let Some(track) = begin.track.and_then(|track| trace.tracks.get(track)) else { continue };
            let rows = trace.slices.lane(track.first_lane as usize);
            let starts = trace.slices.start.get(rows.clone()).unwrap_or_default();
            let first = rows.start + starts.partition_point(|start| *start < begin.from);
            let before = released.calls;
            let calls = (first..rows.end).take(MAX_RELEASES);
            for call in calls.take_while(|row| releases_memory(trace, *row)) {
                released.calls += 1;
                released.calls_ns += trace.slices.duration.at(call);
            }
            released.tasks += 1;
            released.releasing += usize::from(released.calls > before);
        }
        released
    }

    /// True if releasing memory is the purpose of these host tasks.
    fn is_purpose(&self) -> bool {
        self.tasks >= MIN_HOST_TASKS && self.releasing * 4 >= self.tasks * 3
    }

    fn remedy(&self) -> &'static str {
        if self.is_purpose() {
            "They release memory: do so after a later wait, use the memory again in place of new one, or let the queue release \
             it (sycl_ext_oneapi_async_memory_alloc)."
        } else {
            "Host tasks in which a library computes, as on CPU devices, show in a profiler of the host. Those that only release \
             memory can do so after a later wait."
        }
    }

    fn evidence(&self) -> Option<String> {
        let Self { tasks, releasing, calls, calls_ns } = *self;
        match (tasks, calls) {
            (0, _) => None,
            (_, 0) => Some(format!(
                "No call that releases memory was recorded in the {tasks} host tasks whose thread is known."
            )),
            _ => Some(format!(
                "{releasing} of {tasks} host tasks whose thread is known released memory: {calls} calls, {}.",
                time(calls_ns)
            )),
        }
    }
}

fn bound(run: &Run<'_>, tasks: &[Hold]) -> String {
    let estimates: Vec<_> =
        tasks.iter().filter_map(|hold| run.trace.host_tasks().get(hold.task.node)).collect();
    let spans = estimates.iter().map(|estimate| (estimate.from, estimate.to)).collect();
    match estimates.len() {
        0 => "Nothing in the recording bounds their durations.".to_owned(),
        count => format!(
            "{count} of {} host tasks ran for {} at most.",
            tasks.len(),
            time(Stretches::new(spans).ns())
        ),
    }
}
