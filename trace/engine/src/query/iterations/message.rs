//! Iterations in a sentence.

use syclscope_language::api::{IterationMarkKind, IterationStep, Iterations, StepKind};
use syclscope_language::names::short_name;
use syclscope_language::share::share;

use super::MIN_STEADY;
use crate::query::findings::words::time;
use crate::query::pauses::PAUSED;

const MAX_LETTERS: usize = 80;

/// The runtime's name of host tasks.
const HOST_TASK: &str = "host task";

pub(super) fn none() -> String {
    "No loop found: no command is submitted again and again with the same others around it, and no region occurs three times".to_owned()
}

/// Describes iterations that take less than half of the time of the commands.
pub(super) fn small_part(ns: u64, all_ns: u64) -> String {
    let share = share(ns, all_ns, 1);
    format!("No loop takes most of the time from the first command to the last; this one takes {share}")
}

/// Describes the iterations of the statistics, starting with number `first`, and the cause of the slowest ones.
pub(super) fn describe(found: &Iterations, first: Option<u64>) -> String {
    let Some(mark) = &found.mark else { return none() };
    let kind = match mark.kind {
        IterationMarkKind::Region => "each is a region",
        IterationMarkKind::Command => "each begins with",
    };
    let place = mark.location.as_ref().filter(|place| !place.file.is_empty()).map(|place| {
        let file = place.file.rsplit('/').next().unwrap_or(&place.file);
        format!(" at {file}:{}", place.line)
    });
    // Questions name a region by its whole name.
    let name = match mark.kind {
        IterationMarkKind::Region => cut(&mark.name),
        IterationMarkKind::Command => short(&mark.name),
    };
    let (stats, place) = (&found.steady, place.unwrap_or_default());
    let [mean, deviation] = [stats.mean_ns, stats.deviation_ns].map(|ns| time(ns.round() as u64));
    let Some(first) = first else {
        return format!("None of the {} iterations of {} lies in this range as a whole", found.count, name);
    };
    let last = first + stats.count - 1;
    let numbers =
        if stats.count == 1 { format!("Iteration {first}") } else { format!("Iterations {first} to {last}") };
    let mut text = format!("{numbers} of {} ({kind} {}{place}): ", found.count, name);
    if stats.count == 1 {
        text += &mean;
    } else {
        if stats.count < MIN_STEADY as u64 {
            let [least, most] = [stats.min_ns, stats.max_ns].map(time);
            text += &format!("{least} to {most}, mean {mean}; the slowest is {}", stats.slowest);
        } else {
            text += &format!("median {}, mean {mean} ± {deviation}", time(stats.p50_ns));
            text += &format!("; the slowest is {}: {}", stats.slowest, time(stats.max_ns));
        }
        let extra = |step: &IterationStep| step.slowest_ns as f64 - step.total_ns as f64 / stats.count as f64;
        let most = found.steps.iter().max_by(|one, other| extra(one).total_cmp(&extra(other)));
        let is_slow = stats.max_ns as f64 > stats.mean_ns * 1.1;
        if let Some(step) = most.filter(|step| is_slow && extra(step) > 0.0) {
            let extra = time(extra(step).round() as u64);
            text += &format!("; {} took {extra} longer than usual", words(step));
        }
    }
    text
}

fn words(step: &IterationStep) -> String {
    step_words(step.kind, &step.name)
}

pub(in crate::query) fn step_words(kind: StepKind, name: &str) -> String {
    let name = short(name);
    match kind {
        StepKind::Command | StepKind::Call => name,
        StepKind::Host if name == PAUSED => name,
        StepKind::Host if name == HOST_TASK => format!("{name}s"),
        StepKind::Launch => format!("launch overhead of {name}"),
        StepKind::Host => format!("host code (not recorded) of {name}"),
        StepKind::Wait => format!("waiting in {name}"),
        StepKind::Submission => format!("submitting {name}"),
    }
}

/// Returns a name without namespaces, cut to fit into a sentence.
pub(in crate::query) fn short(name: &str) -> String {
    cut(&short_name(name))
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_host_tasks_is_not_that_of_a_thread() {
        assert_eq!(step_words(StepKind::Host, HOST_TASK), "host tasks");
        assert_eq!(step_words(StepKind::Host, "main thread"), "host code (not recorded) of main thread");
        assert_eq!(step_words(StepKind::Submission, HOST_TASK), "submitting host task");
    }
}
