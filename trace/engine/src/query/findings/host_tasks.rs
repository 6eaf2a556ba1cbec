//! Programs whose work is in host tasks: nothing runs on a device, so that idle devices are expected.

use syclscope_language::api::{Finding, Severity};
use syclscope_language::event::NodeKind;

use super::words::time;
use crate::id::some;
use crate::query::detail::{location, slice_ref};
use crate::query::host_work::HostWork;
use crate::query::report::busy_ns;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;

/// Fewer only assist the commands.
const MIN_HOST_TASKS: usize = 16;
/// Devices that are busy for at least 1 / this of the run have work.
const BUSY: u64 = 10;
/// Maximum number of named host tasks.
const MAX_NAMED_TASKS: usize = 20;

/// Host tasks that do more than keep memory alive for a command, if they outnumber the kernels that ran, and the
/// devices were nearly idle.
pub(super) fn finding(trace: &Trace) -> Option<Finding> {
    let kernels = trace.executions.kind.iter().filter(|kind| *kind == NodeKind::Kernel).count();
    // Kernels and graphs without a time may have occupied devices.
    let runs_unseen = |node: &NodeRow| {
        matches!(node.kind, NodeKind::Kernel | NodeKind::CommandGraph) && some(node.execution).is_none()
    };
    let untimed = trace.nodes.iter().filter(runs_unseen).count();
    let work = HostWork::new(trace);
    let is_busy = busy_ns(trace, &(0..u64::MAX)) >= trace.duration_ns / BUSY;
    let has_all = trace.kernels_left_out().next().is_none();
    if work.free.len() < MIN_HOST_TASKS || work.free.len() <= kernels + untimed || is_busy || !has_all {
        return None;
    }
    let bound = match work.bounded {
        0 => "Nothing in the recording bounds their durations.".to_owned(),
        bounded => {
            format!("{bounded} of {} host tasks ran for {} at most.", work.count, time(work.at_most_ns))
        }
    };
    let beside = match untimed {
        0 => String::new(),
        _ => format!(" ({untimed} more commands without a device time may have)"),
    };
    let submissions = work.free.iter().filter_map(|node| some(trace.nodes.submission.at(*node as usize)));
    let slices: Vec<_> = submissions.take(MAX_NAMED_TASKS).map(|slice| slice_ref(trace, slice)).collect();
    let first = slices.first().copied();
    Some(Finding {
        kind: "work_in_host_tasks".to_owned(),
        severity: Severity::Info,
        message: format!(
            "{} host tasks wait for no other command, and {kernels} kernel{} ran{beside}: their work runs on threads of the host, and no \
             runtime reports it; libraries for CPU devices compute there{}. That devices are idle meanwhile is no fault; a profiler \
             of the host shows the work.",
            work.free.len(),
            if kernels == 1 { "" } else { "s" },
            work.from(trace)
        ),
        evidence: vec![bound],
        process: first.map_or(0, |slice| trace.tracks.process.at(slice.track as usize)),
        at_ns: first.map_or(0, |slice| slice.start_ns),
        until_ns: trace.duration_ns,
        location: location(trace, work.location),
        at: first,
        count: work.free.len() as u64,
        slices,
        nodes: work
            .free
            .iter()
            .take(MAX_NAMED_TASKS)
            .map(|node| trace.nodes.number.at(*node as usize))
            .collect(),
        filter: "name:\"host task\"".to_owned(),
        ..Finding::default()
    })
}
