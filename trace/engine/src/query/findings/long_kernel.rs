//! One execution of a kernel that takes more than half of a run.

use rustc_hash::FxHashMap;

use super::run::{Command, Draft, Run};
use super::words::{equals, time};

/// Fewer commands are just one kernel with its copies.
const MIN_COMMANDS: usize = 16;
/// A busy machine may delay any kernel for less.
const MIN_DURATION_NS: u64 = 100_000_000;

/// Returns the longest execution of each process, if it takes more than half of the run.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let mut processes: FxHashMap<u32, (usize, Option<(u64, Command)>)> = FxHashMap::default();
    for command in run.commands().iter().filter(|command| command.execution.is_some()) {
        processes.entry(command.process).or_default().0 += 1;
    }
    for kernel in run.kernels() {
        let ns = kernel.execution.map_or(0, |execution| execution.duration());
        let (_, longest) = processes.entry(kernel.process).or_default();
        if longest.is_none_or(|(most, _)| ns > most) {
            *longest = Some((ns, kernel));
        }
    }
    let least_ns = MIN_DURATION_NS.max(run.span_ns / 2 + 1);
    let longest = processes.into_iter().filter(|(_, (count, _))| *count >= MIN_COMMANDS);
    let longest = longest.filter_map(|(process, (count, longest))| Some((process, count, longest?)));
    longest
        .filter(|(_, _, (ns, _))| *ns >= least_ns)
        .map(|(process, count, (ns, kernel))| finding(run, process, count, ns, &kernel))
        .collect()
}

fn finding(run: &Run<'_>, process: u32, count: usize, ns: u64, kernel: &Command) -> Draft {
    let name = run.name(kernel);
    Draft {
        kind: "one_long_kernel",
        message: format!(
            "One execution of {name}{} takes {} of the {} from the first submission to the last command's end.",
            run.at_place(kernel.location),
            time(ns),
            time(run.span_ns)
        ),
        remedy: "Look at its algorithm and its range, or give parts of its work to other devices.".to_owned(),
        evidence: vec![format!("One of {count} commands takes more than half of the run.")],
        process,
        location: kernel.location,
        slices: kernel.execution.map(|execution| execution.slice).into_iter().collect(),
        nodes: vec![kernel.node],
        count: 1,
        touches_ns: ns,
        change: Err(
            "The possible speed of the kernel is unknown: the query `what_if` shows the effect of a faster one.",
        ),
        bytes: 0,
        how: "",
        filter: format!("category:kernel {}", equals("name", name)),
    }
}
