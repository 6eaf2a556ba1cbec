//! Kernels that do less than their launch costs.

use rustc_hash::FxHashSet;
use syclscope_language::event::NodeKind;
use syclscope_language::producer::Producer;

use super::run::{Command, Draft, Run};
use super::touched;
use super::words::{equals, time};
use crate::id::some;
use crate::query::percentile::percentile;

/// Fewer of a name may be short without harm.
const LEAST: usize = 50;

/// Kernels of which half take no longer on the device than half of their launches take on the host.
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

/// What hands over several commands at once.
fn at_once(producer: Option<Producer>) -> &'static str {
    match producer {
        None => "a command graph",
        Some(Producer::PyTorch | Producer::Xla) => "a CUDA or HIP graph",
        Some(Producer::Unitrace) => "a command list that is used again",
        Some(Producer::GpuStages) => "one submission for several of them",
    }
}

fn short(run: &Run<'_>, process: u32, kernels: &[&Command]) -> Option<Draft> {
    if kernels.len() < LEAST {
        return None;
    }
    let launch = |command: &Command| command.submitted.saturating_sub(command.begun);
    let ran = |command: &Command| command.execution.map_or(0, |execution| execution.duration());
    let sorted = |of: &dyn Fn(&Command) -> u64| {
        let mut times: Vec<u64> = kernels.iter().map(|kernel| of(kernel)).collect();
        times.sort_unstable();
        times
    };
    let (launches, runs) = (sorted(&launch), sorted(&ran));
    let (launch_ns, run_ns) = (percentile(&launches, 50), percentile(&runs, 50));
    // What one launch for all of them would not need, where devices were idle before the kernel.
    let late = kernels.iter().filter_map(|kernel| {
        let beyond_ns = launch(kernel).saturating_sub(ran(kernel));
        Some(((kernel.begun, kernel.execution?.start), beyond_ns))
    });
    let touches_ns = touched::late(run, process, late);
    if run_ns > launch_ns || !run.is_worth(touches_ns) {
        return None;
    }
    let (count, name) = (kernels.len(), run.name(kernels[0]));
    // One launch for all of a thread: the host spends no time on the others. What takes longer than most may have another cause.
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
             the host. Give each launch more work: fewer and larger ranges, several steps in one kernel, or {}.",
            time(run_ns),
            time(launch_ns),
            at_once(run.trace.producer())
        ),
        evidence: vec![
            format!("Summed over {count} launches, kernels ran for {}.", time(total)),
            format!("Summed over {count} launches, submissions took {}.", time(launches.iter().sum())),
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
        filter: format!("category:kernel {}", equals("name", name)),
    })
}
