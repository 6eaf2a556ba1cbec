//! Kernels whose work is smaller than the cost of their launch.

use rustc_hash::FxHashSet;
use syclscope_language::event::NodeKind;
use syclscope_language::producer::Producer;

use super::remedies;
use super::run::{Command, Draft, Run};
use super::touched;
use super::words::{equals, time};
use crate::id::some;
use crate::query::cost::Costs;
use crate::query::percentile::percentile;

/// Fewer with one name may be short without harm.
const MIN_LAUNCHES: usize = 50;

/// Kernels whose median time on the device is no longer than the median time of their launches on the host.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let name = |command: &Command| run.trace.nodes.name.at(command.node as usize);
    let kernels = run.by(|command| {
        let is_it = command.kind == NodeKind::Kernel
            && command.execution.is_some()
            && some(command.submission).is_some();
        is_it.then(|| (command.process, name(command).0))
    });
    kernels.into_iter().filter_map(|((process, _), kernels)| short(run, process, &kernels)).collect()
}

fn at_once(producer: Option<Producer>) -> &'static str {
    match producer {
        None => "a command graph",
        Some(Producer::PyTorch | Producer::Xla) => "a CUDA or HIP graph",
        Some(Producer::Unitrace) => "a command list that is used again",
        Some(Producer::GpuStages) => "one submission for several of them",
    }
}

fn recording(is_known: bool, taken_ns: u64) -> String {
    if !is_known {
        return "; the overhead of recording in it is unknown".to_owned();
    }
    format!(
        " without the {} of the recorder's own code; the overhead of the runtime's tracing is unknown",
        time(taken_ns)
    )
}

fn short(run: &Run<'_>, process: u32, kernels: &[&Command]) -> Option<Draft> {
    if kernels.len() < MIN_LAUNCHES {
        return None;
    }
    let costs = Costs::new(run.trace, process);
    let taken_ns = |command: &Command| match (&costs, some(command.submission)) {
        (Some(costs), Some(submission)) => costs.within(run.trace, submission),
        _ => 0,
    };
    let launched =
        |command: &Command| command.submitted.saturating_sub(command.begun).saturating_sub(taken_ns(command));
    let ran = |command: &Command| command.execution.map_or(0, |execution| execution.duration());
    let launches: Vec<u64> = kernels.iter().map(|kernel| launched(kernel)).collect();
    let runs: Vec<u64> = kernels.iter().map(|kernel| ran(kernel)).collect();
    let median = |times: &[u64]| {
        let mut times = times.to_vec();
        times.sort_unstable();
        percentile(&times, 50)
    };
    let (launch_ns, run_ns) = (median(&launches), median(&runs));
    // The time that a single launch would save while devices were idle before the kernel. Launches that take much
    // longer than most may have another cause, such as a build.
    let late = kernels.iter().zip(&launches).filter_map(|(kernel, took_ns)| {
        let took_ns = launch_ns.min(*took_ns);
        Some(((kernel.begun, kernel.execution?.start), took_ns.saturating_sub(ran(kernel))))
    });
    let touches_ns = touched::late(run, process, late);
    if run_ns > launch_ns || !run.is_worth(touches_ns) {
        return None;
    }
    let (count, name) = (kernels.len(), run.short_name(kernels[0]));
    // One launch per thread instead of all: the host spends no time on the others.
    let mut launched: FxHashSet<u32> = FxHashSet::default();
    let others = kernels.iter().filter(|kernel| !launched.insert(kernel.thread));
    let change = Run::without_times(others.map(|kernel| {
        let until = kernel.submitted.min(kernel.begun.saturating_add(launch_ns));
        (kernel.thread, (kernel.begun, until))
    }));
    let total: u64 = runs.iter().sum();
    Some(Draft {
        kind: "kernels_too_short",
        message: format!(
            "The kernel {name} was launched {count} times. Its median run took {}, but its median launch took {} on \
             the host while recorded.",
            time(run_ns),
            time(launch_ns)
        ),
        remedy: remedies::of_short_kernels(run.trace, process, at_once(run.trace.producer())),
        evidence: vec![
            format!("Summed over {count} launches, kernels ran for {}.", time(total)),
            format!(
                "Summed over {count} launches, submissions took {}{}.",
                time(launches.iter().sum()),
                recording(costs.is_some(), kernels.iter().map(|kernel| taken_ns(kernel)).sum())
            ),
        ],
        process,
        location: kernels[0].location,
        slices: kernels.iter().filter_map(|kernel| Some(kernel.execution?.slice)).collect(),
        nodes: kernels.iter().map(|kernel| kernel.node).collect(),
        count: count as u64,
        touches_ns,
        change: Ok(change),
        bytes: 0,
        how: "At most: the run replayed with one launch for all of them on each thread.",
        filter: format!("category:kernel {}", equals("name", run.name(kernels[0]))),
    })
}
