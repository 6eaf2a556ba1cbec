//! Breakdown of a run's time, and concurrency.

use std::ops::Range;

use rustc_hash::FxHashSet;
use syclscope_language::api::{Concurrency, RunSplit};
use syclscope_language::event::{Category, NO_DEVICE_TIME, NoTime, NodeKind, Value};

use crate::id::some;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;
use crate::stretches::within;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunPart {
    Kernel,
    /// Device work other than kernels and copies.
    Other,
    Copy,
    Wait,
    Build,
}

const RUN_PARTS: usize = 5;

/// Returns the breakdown of the time of a range, and the concurrency, from one sweep over device work, waits and
/// builds.
pub(super) fn split(trace: &Trace, range: &Range<u64>) -> (RunSplit, Concurrency) {
    let slices = &trace.slices;
    // Time, true for a start, and class. Ends sort before starts.
    let mut changes: Vec<(u64, bool, u8)> = Vec::new();
    for row in trace.device_work() {
        let what = match slices.category(row) {
            Category::Kernel => RunPart::Kernel,
            Category::Copy => RunPart::Copy,
            _ => RunPart::Other,
        };
        let (start, end) = (slices.start.at(row), slices.end(row).min(trace.duration_ns));
        if start < end {
            changes.extend([(start, true, what as u8), (end, false, what as u8)]);
        }
    }
    for block in trace.blocking().of_program() {
        let end = block.end.min(trace.duration_ns);
        if block.begin < end {
            changes.extend([(block.begin, true, RunPart::Wait as u8), (end, false, RunPart::Wait as u8)]);
        }
    }
    for (begin, end) in builds(trace) {
        changes.extend([(begin, true, RunPart::Build as u8), (end, false, RunPart::Build as u8)]);
    }
    // Without any known device time, the devices' activity is unknown from the first lost command on.
    let lost_from = lost_nodes(trace).map(|node| node.created).min();
    // Until the first known device time, it is unknown from the first command without one on.
    let untimed_from = untimed_work(trace).map(|(_, node)| node.created).min();
    changes.extend([lost_from, untimed_from].into_iter().flatten().map(|at| (at, false, u8::MAX)));
    changes.sort_unstable();
    let is_work = |what: u8| what <= RunPart::Copy as u8;
    let first = changes.iter().find(|change| is_work(change.2)).map_or(u64::MAX, |change| change.0);
    let last = changes.iter().rfind(|change| is_work(change.2)).map(|change| change.0);
    let last = last.or(lost_from).unwrap_or(u64::MAX);
    let mut split = RunSplit { run_ns: within(range, 0, trace.duration_ns), ..RunSplit::default() };
    let mut concurrency = Concurrency::default();
    let mut kernels_ns = 0_u128;
    let mut running = [0_u64; RUN_PARTS];
    let mut since = 0;
    for (at, begins, what) in changes.into_iter().chain([(trace.duration_ns, false, u8::MAX)]) {
        let passed = within(range, since, at);
        since = at;
        let is = |what: RunPart| running[what as usize] > 0;
        let is_lost = lost_from.is_some() && at > last;
        if is_lost || (at <= first && untimed_from.is_some_and(|from| from < at)) {
            split.unknown_ns += passed;
        } else {
            let place = if is(RunPart::Kernel) || is(RunPart::Other) {
                &mut split.device_ns
            } else if is(RunPart::Copy) {
                &mut split.copy_ns
            } else if is(RunPart::Wait) {
                &mut split.wait_ns
            } else {
                &mut split.host_ns
            };
            *place += passed;
            if !(is(RunPart::Kernel) || is(RunPart::Other) || is(RunPart::Copy)) {
                let idle = &mut split.idle;
                let place = if is(RunPart::Build) {
                    &mut idle.build_ns
                } else if at <= first {
                    &mut idle.start_ns
                } else if at > last {
                    &mut idle.end_ns
                } else {
                    &mut idle.between_ns
                };
                *place += passed;
            }
        }
        if is(RunPart::Kernel) {
            concurrency.kernel_ns += passed;
            concurrency.copy_overlap_ns += if is(RunPart::Copy) { passed } else { 0 };
        }
        if passed > 0 {
            concurrency.max_kernels = concurrency.max_kernels.max(running[RunPart::Kernel as usize]);
        }
        kernels_ns += u128::from(running[RunPart::Kernel as usize]) * u128::from(passed);
        if let Some(count) = running.get_mut(usize::from(what)) {
            *count = if begins { *count + 1 } else { count.saturating_sub(1) };
        }
    }
    if concurrency.kernel_ns > 0 {
        concurrency.mean_kernels = kernels_ns as f64 / concurrency.kernel_ns as f64;
    }
    (split, concurrency)
}

/// Returns the kernels and command graphs that may have run without a device time, by row. Commands of a graph run with
/// the graph.
pub(in crate::query) fn untimed_work(trace: &Trace) -> impl Iterator<Item = (u32, NodeRow)> {
    let is_work = |kind| matches!(kind, NodeKind::Kernel | NodeKind::CommandGraph);
    (0..).zip(trace.nodes.iter()).filter(move |(row, node)| {
        is_work(node.kind)
            && some(node.execution).is_none()
            && trace.command_graphs.memberships(*row).is_empty()
    })
}

/// True if device times were lost because the program was killed.
pub(in crate::query) fn is_undelivered(trace: &Trace) -> bool {
    lost_nodes(trace).next().is_some()
}

/// Returns the processes whose device times were lost because they were killed.
pub(in crate::query) fn undelivered(trace: &Trace) -> FxHashSet<u32> {
    lost_nodes(trace).map(|node| trace.process_of_node(&node)).collect()
}

/// Returns the commands whose device times were lost because the program was killed.
fn lost_nodes(trace: &Trace) -> impl Iterator<Item = NodeRow> {
    let words = NoTime::Undelivered.words();
    let untimed = trace.nodes.iter().filter(|node| some(node.execution).is_none());
    let is_lost = move |(name, value): (&str, Value<'_>)| {
        name == NO_DEVICE_TIME && matches!(value, Value::Str(text) if text.ends_with(words))
    };
    untimed.filter(move |node| trace.args.get(node.args, &trace.strings).any(is_lost))
}

fn builds(trace: &Trace) -> impl Iterator<Item = (u64, u64)> {
    let slices = &trace.slices;
    let spans =
        crate::query::builds(trace).map(|row| (slices.start.at(row), slices.end(row).min(trace.duration_ns)));
    spans.filter(|(begin, end)| begin < end)
}
