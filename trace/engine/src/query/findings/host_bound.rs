//! Iterations in which devices wait for the host most of the time.

use syclscope_language::api::{IterationStep, StepKind};

use super::run::{Draft, Run};
use super::words::time;
use crate::graph::commands::Change;
use crate::id::{LocationId, some};
use crate::query::graph::path::{AFTER_ALL, BEFORE_ALL, UNKNOWN};
use crate::query::iterations::SteadyIterations;
use crate::query::iterations::message::step_words;
use crate::query::pauses::PAUSED;

/// Devices are busy for less than 1 / this of the time.
const BUSY: u64 = 2;
/// Maximum number of steps in the message.
const MAX_NAMED_STEPS: usize = 3;

/// Steady iterations whose critical path is mostly the host's, while devices are mostly idle.
pub(super) fn finding(run: &Run<'_>, steady: &SteadyIterations, steps: &[IterationStep]) -> Option<Draft> {
    let whole_ns = steady.total_ns();
    if steady.busy_ns >= whole_ns / BUSY {
        return None;
    }
    let is_host = |step: &&IterationStep| {
        let is_kind = matches!(step.kind, StepKind::Host | StepKind::Submission | StepKind::Call);
        is_kind && ![BEFORE_ALL, UNKNOWN, AFTER_ALL, PAUSED].contains(&step.name.as_str())
    };
    let of_host: Vec<&IterationStep> = steps.iter().filter(is_host).collect();
    let host_ns: u64 = of_host.iter().map(|step| step.total_ns).sum();
    if host_ns < whole_ns / 2 {
        return None;
    }
    let of_one = |ns: u64| time(ns / steady.count().max(1));
    let percent = |ns: u64| ns as f64 * 100.0 / whole_ns.max(1) as f64;
    let parts = of_host.iter().take(MAX_NAMED_STEPS).map(|sum| {
        let place = sum.location.as_ref().filter(|place| !place.file.is_empty());
        let place = place.map(|place| format!(" at {}:{}", place.file, place.line)).unwrap_or_default();
        format!("{} {}{place}", of_one(sum.total_ns), step_words(sum.kind, &sum.name))
    });
    let parts: Vec<String> = parts.collect();
    let commands = run.commands();
    let first = commands.first();
    Some(Draft {
        kind: "host_bound",
        message: format!(
            "The host sets the pace in iterations {} to {}: one takes {} on average, and devices are busy for {} of it ({:.1} %). On its critical path the \
             host takes {:.1} %: {}.",
            steady.first,
            steady.first + steady.count() - 1,
            time(steady.mean_ns()),
            of_one(steady.busy_ns),
            percent(steady.busy_ns),
            percent(host_ns),
            parts.join(", ")
        ),
        remedy: "Do less on the host in each iteration, or submit further ahead of the device.".to_owned(),
        evidence: instant_devices(run, steady).into_iter().collect(),
        process: first.map_or(0, |command| command.process),
        location: LocationId(0),
        slices: commands.iter().filter_map(|command| some(command.submission)).collect(),
        nodes: Vec::new(),
        count: steady.count(),
        touches_ns: whole_ns - steady.busy_ns,
        change: Err("The affected time is that in which devices were idle in these iterations."),
        bytes: 0,
        how: "",
        filter: "category:submission".to_owned(),
    })
}

/// Returns evidence from a replay in which commands of the part take no time on their devices.
fn instant_devices(run: &Run<'_>, steady: &SteadyIterations) -> Option<String> {
    let graph = run.trace.run_graph();
    let executed = run.commands().iter().filter(|command| command.execution.is_some());
    let takes_ns = executed.map(|command| (command.node, 0)).collect();
    let change = Change { takes_ns, ..Change::default() };
    (!graph.is_refused()).then(|| {
        let saved_ns = graph.replay_ns().saturating_sub(graph.changed_ns(run.trace, &change));
        format!(
            "If no command took time on its device, an iteration would be {} shorter at most (replayed).",
            time(saved_ns / steady.count().max(1))
        )
    })
}
