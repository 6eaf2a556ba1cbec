//! The critical path: the chain of work and waits that decided how long the run took.

use std::cmp::Reverse;

use syclscope_language::api::{CriticalPath, CriticalStep, StepKind};

use super::{Room, cut, location, name, share};
use crate::text::{Align, Table, counted, duration, wrapped};

/// The path's length and its longest steps, in the order of time.
pub(super) fn critical_path(path: &CriticalPath, run_ns: u64, room: Room) -> Vec<String> {
    if path.steps.is_empty() {
        return Vec::new();
    }
    let facts = format!(
        "{} of {}: {} on devices, {} in submissions, {} in runtime calls, {} in waits, {} of the host unknown; \
         dependences alone need {}",
        duration(path.length_ns),
        duration(run_ns),
        duration(path.device_ns),
        duration(path.submission_ns),
        duration(path.call_ns),
        duration(path.wait_ns),
        duration(path.host_ns),
        duration(path.unlimited_ns)
    );
    let mut lines = wrapped(&facts, room.width);
    let mut longest: Vec<usize> = (0..path.steps.len()).collect();
    longest.sort_by_key(|step| (Reverse(path.steps[*step].duration_ns), *step));
    longest.truncate(room.steps);
    let mut table = Table::new([
        ("time", Align::Right),
        ("share", Align::Right),
        ("kind", Align::Left),
        ("step", Align::Name),
        ("location", Align::Path),
    ]);
    for step in &longest {
        let (step, next) = (&path.steps[*step], path.steps.get(step + 1));
        let kind = match step.kind {
            StepKind::Command => "device",
            StepKind::Submission => "submission",
            StepKind::Call => "call",
            StepKind::Wait => "wait",
            StepKind::Host => "host, unknown",
        };
        table.row([
            duration(step.duration_ns),
            share(step.duration_ns, path.length_ns),
            kind.to_owned(),
            what(step, next),
            location(
                step.location
                    .as_ref()
                    .or_else(|| next?.location.as_ref().filter(|_| step.kind == StepKind::Host)),
            ),
        ]);
    }
    lines.extend(cut(table.lines(room.width), path.steps.len(), longest.len()));
    if path.left_out > 0 {
        lines.push(format!("{} left out: the dependences form a cycle", counted(path.left_out, "command")));
    }
    lines
}

/// A step's name; unknown time of a thread gets the name of the step that it leads to.
fn what(step: &CriticalStep, next: Option<&CriticalStep>) -> String {
    let shown = |step: &CriticalStep| name(&step.name);
    match (step.kind, step.node, next) {
        (StepKind::Host, Some(_), _) => format!("{}, at most", shown(step)),
        (StepKind::Host, None, Some(next)) if next.kind != StepKind::Host => {
            format!("{} until {}", shown(step), shown(next))
        }
        _ if step.count > 1 => format!("{} ×{}", shown(step), step.count),
        _ => shown(step),
    }
}
