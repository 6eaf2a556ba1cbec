//! Iterations of the main loop: a sentence, the steps of their critical path, and other loops.

use syclscope_language::api::{IterationMarkKind, Iterations, StepKind};

use super::steps::words;
use super::{Room, cut, location, name, share};
use syclscope_text::{Align, Table, columns, count, counted, duration, printable, short_names, wrapped};

/// Minimum number of iterations whose shortest one is named here; the sentence names it for fewer.
const MIN_FOR_SHORTEST: u64 = 5;
/// Minimum number of iterations whose 95th percentile is not the longest one.
const MIN_FOR_P95: u64 = 20;

/// Name of host tasks, and the kind of their steps, as on the critical path.
const HOST_TASK: &str = "host task";

pub(super) fn iterations(found: &Iterations, room: Room) -> Vec<String> {
    if found.mark.is_none() {
        return Vec::new();
    }
    let mut lines = wrapped(&name(&found.message), room.width);
    if found.steady.count == 0 {
        return lines;
    }
    let Iterations { steady, warm_up, from_ns, .. } = found;
    let mut facts = Vec::new();
    if steady.count >= MIN_FOR_P95 {
        facts.push(format!("95th percentile {}", duration(steady.p95_ns)));
    }
    if steady.count >= MIN_FOR_SHORTEST {
        facts.push(format!("shortest {}", duration(steady.min_ns)));
    }
    facts.push(format!("warm-up {}", counted(*warm_up, "iteration")));
    facts.push(format!("the first begins at {}", duration(*from_ns)));
    lines.extend(wrapped(&facts.join(", "), room.width));
    let total_ns: u64 = found.steps.iter().map(|step| step.total_ns).sum::<u64>() + found.more_steps_ns;
    let each = |ns: u64| duration((ns as f64 / found.steady.count.max(1) as f64).round() as u64);
    let mut table = Table::new([
        ("each", Align::Right),
        ("share", Align::Right),
        ("slowest", Align::Right),
        ("kind", Align::Left),
        ("step", Align::Name),
        ("location", Align::Path),
    ]);
    let shown = found.steps.len().min(room.steps);
    for step in &found.steps[..shown] {
        let is_host_task = step.kind == StepKind::Host && step.name == HOST_TASK;
        let kind = if is_host_task { HOST_TASK } else { words(step.kind) };
        table.row([
            each(step.total_ns),
            share(step.total_ns, total_ns),
            duration(step.slowest_ns),
            kind.to_owned(),
            name(&step.name),
            location(step.location.as_ref()),
        ]);
    }
    if shown > 0 {
        lines.extend(cut(table.lines(room.width), found.steps.len(), shown));
    }
    let names = short_names(found.others.iter().map(|other| other.name.as_str()));
    for other in found.others.iter().take(room.steps) {
        let (option, rounds) = match other.kind {
            IterationMarkKind::Region => ("region", "regions"),
            IterationMarkKind::Command => ("command", "rounds"),
        };
        let start = format!("other loop: {} {rounds} by {option} ", count(other.count));
        let most = room.width.saturating_sub(columns(&start));
        lines.push(start + &printable(&names.fit(&other.name, most), most));
    }
    lines
}
