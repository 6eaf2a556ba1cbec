//! A kernel of which one execution, or a few long ones together, take more than half of a run.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use syclscope_language::sorting::Sorting as _;

use super::processor_use;
use super::run::{Command, Draft, Run};
use super::words::{equals, time};
use crate::id::some;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Fewer commands are just one kernel with its copies.
const MIN_COMMANDS: usize = 16;
/// A busy machine may delay any kernel for less.
const MIN_DURATION_NS: u64 = 100_000_000;
/// More long executions of a kernel are a loop.
const MAX_EXECUTIONS: usize = 8;

/// Returns the kernel of each process with an execution that takes more than half of the run, or with a few long
/// executions that do so together.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
    for command in run.commands().iter().filter(|command| command.execution.is_some()) {
        *counts.entry(command.process).or_default() += 1;
    }
    let mut kernels: FxHashMap<(u32, u32), Vec<Command>> = FxHashMap::default();
    for kernel in run.kernels().filter(|kernel| duration(kernel) >= MIN_DURATION_NS) {
        let name = run.trace.nodes.name.at(kernel.node as usize);
        kernels.entry((kernel.process, name.0)).or_default().push(kernel);
    }
    let mut found: FxHashMap<u32, (u64, Reverse<u32>, Vec<Command>)> = FxHashMap::default();
    for ((process, _), mut executions) in kernels {
        // The longest execution first.
        executions.arrange_by_key(|kernel| (Reverse(duration(kernel)), kernel.node));
        if executions.first().is_some_and(|longest| duration(longest) > run.span_ns / 2) {
            executions.truncate(1);
        }
        let ns = times(&executions).ns();
        let first = executions.first().map_or(0, |longest| longest.node);
        let takes_most = ns > run.span_ns / 2 && executions.len() <= MAX_EXECUTIONS;
        let known = found.get(&process).map(|(ns, first, _)| (*ns, *first));
        if takes_most && known.is_none_or(|known| known < (ns, Reverse(first))) {
            found.insert(process, (ns, Reverse(first), executions));
        }
    }
    let count = |process: u32| counts.get(&process).copied().unwrap_or_default();
    found
        .into_iter()
        .filter(|(process, _)| count(*process) >= MIN_COMMANDS)
        .map(|(process, (ns, _, executions))| finding(run, process, count(process), ns, &executions))
        .collect()
}

/// Returns the times in which at least one execution ran.
fn times(executions: &[Command]) -> Stretches {
    let spans = executions.iter().filter_map(|kernel| Some(kernel.execution?.span()));
    Stretches::new(spans.collect())
}

/// Returns a sentence, with a leading space, if a kernel on a processor had little of it; empty otherwise.
fn processor(run: &Run<'_>, process: u32, executions: &[Command]) -> String {
    let queue = executions.first().and_then(|kernel| run.trace.queues.get(some(kernel.queue)?));
    let is_on_processor = queue.is_some_and(|queue| run.trace.strings.get(queue.device_type) == "CPU");
    let little = processor_use::little(run.trace, process, &times(executions)).filter(|_| is_on_processor);
    little.map(|little| format!(" {little}: the machine may have been busy.")).unwrap_or_default()
}

fn duration(kernel: &Command) -> u64 {
    kernel.execution.map_or(0, |execution| execution.duration())
}

/// Returns the finding of a kernel's executions, of which the first one is the longest.
fn finding(run: &Run<'_>, process: u32, count: usize, ns: u64, executions: &[Command]) -> Draft {
    let longest = executions[0];
    let (name, place) = (run.short_name(&longest), run.at_place(longest.location));
    let span = format!("{} from the first submission to the last command's end", time(run.span_ns));
    let (message, evidence) = match executions.len() {
        1 => (
            format!("One execution of {name}{place} takes {} of the {span}.", time(ns)),
            format!("One of {count} commands takes more than half of the run."),
        ),
        several => {
            let is_one_place = executions.iter().all(|kernel| run.at_place(kernel.location) == place);
            let (of_all, of_longest) = if is_one_place { (place.as_str(), "") } else { ("", place.as_str()) };
            (
                format!(
                    "{several} executions of {name}{of_all} take {} of the {span}, the longest {}{of_longest}.",
                    time(ns),
                    time(duration(&longest))
                ),
                format!("{several} of {count} commands take more than half of the run."),
            )
        }
    };
    let mut slices: Vec<u32> = executions.iter().filter_map(|kernel| Some(kernel.execution?.slice)).collect();
    slices.arrange_by_key(|slice| run.trace.slices.start.at(*slice as usize));
    Draft {
        kind: "one_long_kernel",
        message: message + &processor(run, process, executions),
        remedy: "Look at its algorithm and its range, or give parts of its work to other devices.".to_owned(),
        evidence: vec![evidence],
        process,
        location: longest.location,
        slices,
        nodes: executions.iter().map(|kernel| kernel.node).collect(),
        count: executions.len() as u64,
        touches_ns: ns,
        change: Err(
            "The possible speed of the kernel is unknown: the query `what_if` shows the effect of a faster one.",
        ),
        bytes: 0,
        how: "",
        filter: format!("category:kernel {}", equals("name", run.name(&longest))),
    }
}
