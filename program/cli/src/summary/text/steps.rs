//! The critical path: the chain of work and waits that determined the run time.

use std::cmp::Reverse;

use syclscope_language::api::{CriticalPath, CriticalStep, LocationInfo, StepKind};

use super::{Room, cut, location, name, share};
use syclscope_text::{Align, Table, duration, wrapped};

/// Describes the path's length and its longest steps, longest first.
pub(super) fn critical_path(path: &CriticalPath, room: Room) -> Vec<String> {
    if path.steps.is_empty() {
        return Vec::new();
    }
    let alone = match path.unlimited_ns {
        0 => String::new(),
        // Commands without a device time count as 0 here.
        ns => format!("; dependences alone need at least {}", duration(ns)),
    };
    let samples = match path.sampled_ns {
        0 => String::new(),
        ns => format!(", {} of the host sampled", duration(ns)),
    };
    let facts = format!(
        "{}: {} on devices, {} waiting to start, {} in submissions, {} in runtime calls, {} in waits, {} of the host not \
         recorded{samples}{alone}",
        duration(path.length_ns),
        duration(path.device_ns),
        duration(path.launch_ns),
        duration(path.submission_ns),
        duration(path.call_ns),
        duration(path.wait_ns),
        duration(path.host_ns.saturating_sub(path.sampled_ns))
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
        let step = &path.steps[*step];
        let is_host_task = step.kind == StepKind::Host && step.node.is_some();
        let kind = match step.samples {
            _ if is_host_task => "host task",
            Some(_) => "sampled",
            None => words(step.kind),
        };
        table.row([
            duration(step.duration_ns),
            share(step.duration_ns, path.length_ns),
            kind.to_owned(),
            what(step),
            location(step.location.as_ref().or_else(|| sampled(step))),
        ]);
    }
    let all = path.steps.len() + usize::try_from(path.more_steps).unwrap_or(usize::MAX - path.steps.len());
    lines.extend(cut(table.lines(room.width), all, longest.len()));
    lines
}

pub(super) fn words(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Command => "device",
        StepKind::Launch => "waiting to start",
        StepKind::Submission => "submission",
        StepKind::Call => "call",
        StepKind::Wait => "wait",
        StepKind::Host => "not recorded",
    }
}

fn sampled(step: &CriticalStep) -> Option<&LocationInfo> {
    step.samples.as_ref()?.places.first()?.location.as_ref()
}

/// Returns a step's name. Unrecorded time of a thread is named after the calls before and after it.
fn what(step: &CriticalStep) -> String {
    let between = match (step.after.as_str(), step.until.as_str()) {
        ("", "") => String::new(),
        ("", until) => format!(" until {}", name(until)),
        (after, "") => format!(" after {}", name(after)),
        (after, until) => format!(" between {} and {}", name(after), name(until)),
    };
    let count = if step.count > 1 { format!(" ×{}", step.count) } else { String::new() };
    let samples = match &step.samples {
        Some(samples) => format!(", {}", name(&samples.message)),
        None => String::new(),
    };
    format!("{}{between}{count}{samples}", name(&step.name))
}
