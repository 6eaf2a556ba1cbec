//! Explanations of idle gaps in a sentence.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CriticalStep, Gap, GapClass, GapPart, LocationInfo, StepKind};

use syclscope_language::event::NodeKind;
use syclscope_language::names::short_name;

use crate::id::some;
use crate::query::findings::words::{size, time};
use crate::query::report::copies::copied_bytes;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of causes in a sentence.
const MAX_CAUSES: usize = 3;
/// Causes are added until they explain this percentage of a gap.
const EXPLAINED_PERCENT: u64 = 80;

/// Maximum number of letters of a name in a sentence.
const NAME_LETTERS: usize = 80;

/// Returns a sentence with the longest causes of a gap, and with the command that ended it: `next` is its row.
pub(super) fn describe(trace: &Trace, gap: &Gap, parts: &[GapPart], next: Option<u32>) -> String {
    let idle_ns = gap.to_ns - gap.from_ns;
    let parts = by_name(parts);
    let mut longest: Vec<&GapPart> = parts.iter().filter(|part| part.step.duration_ns > 0).collect();
    longest.arrange_by_key(|part| Reverse(part.step.duration_ns));
    let mut explained = 0;
    let (mut causes, mut told) = (Vec::new(), Vec::new());
    for part in longest.into_iter().take(MAX_CAUSES) {
        if explained * 100 >= idle_ns * EXPLAINED_PERCENT {
            break;
        }
        explained += part.step.duration_ns;
        told.push(part);
        let (cause, samples) = (cause(trace, part, next.is_some()), samples(part));
        causes.push(match part.step.duration_ns == idle_ns {
            true => format!("{cause}{samples}"),
            false => format!("{cause} for {}{samples}", time(part.step.duration_ns)),
        });
    }
    let causes = causes.join("; ");
    let end = match &gap.next {
        Some(node) => {
            let submitted = submitted(trace, &told, next).unwrap_or_default();
            format!(" Then `{}` ran{}{submitted}.", short(&node.name), at(gap.location.as_ref()))
        }
        None => String::new(),
    };
    let when = match (&gap.before, &gap.after) {
        (None, None) => " without a command",
        (None, Some(_)) => " before the first command",
        (Some(_), None) => " after the last command",
        (Some(_), Some(_)) => "",
    };
    format!("Idle for {}{when}: {causes}.{end}", time(idle_ns))
}

/// Returns the parts. Those that differ only in their command are one, with the place of the longest.
fn by_name(parts: &[GapPart]) -> Vec<GapPart> {
    let mut sums: Vec<GapPart> = Vec::new();
    // Row of each sum, and the longest duration in it.
    let mut places = FxHashMap::default();
    for part in parts {
        let step = &part.step;
        if step.node.is_none() {
            sums.push(part.clone());
            continue;
        }
        let location = step.location.as_ref().map(|location| (location.file.as_str(), location.line));
        let words = (step.name.as_str(), step.after.as_str(), step.until.as_str());
        let (place, longest_ns) =
            places.entry((part.class, step.kind, words, location)).or_insert((sums.len(), step.duration_ns));
        let Some(GapPart { step: sum, .. }) = sums.get_mut(*place) else {
            sums.push(part.clone());
            continue;
        };
        sum.count += step.count;
        sum.duration_ns += step.duration_ns;
        if step.duration_ns > *longest_ns {
            *longest_ns = step.duration_ns;
            (sum.at, sum.start_ns) = (step.at, step.start_ns);
        }
    }
    sums
}

/// Returns the time from the end of the only wait in the sentence to the submission of the command that ended the gap,
/// if the host waited before that submission.
fn submitted(trace: &Trace, told: &[&GapPart], next: Option<u32>) -> Option<String> {
    let waits = [GapClass::Wait, GapClass::Synchronisation];
    let is_wait = |part: &&&GapPart| waits.contains(&part.class) && part.step.kind == StepKind::Wait;
    let mut waits = told.iter().filter(is_wait);
    let (Some(wait), None) = (waits.next(), waits.next()) else { return None };
    let until_ns = wait.step.start_ns? + wait.step.duration_ns;
    let wait = wait.step.at.as_ref()?;
    // Several waits with one name are one cause.
    if until_ns != trace.slices.end(wait.slice as usize) {
        return None;
    }
    let submission = some(trace.nodes.submission.at(next? as usize))? as usize;
    let is_of_thread = trace.tracks.of_lane(trace.slices.lane_of(submission)) as u32 == wait.track;
    let since_ns = trace.slices.start.at(submission).checked_sub(until_ns)?;
    is_of_thread.then(|| format!(", submitted {} after that wait", time(since_ns)))
}

/// Describes a part of a gap, which no command ends if it is behind the last one.
fn cause(trace: &Trace, part: &GapPart, is_before_command: bool) -> String {
    let CriticalStep { kind, name, location, count, after, until, .. } = &part.step;
    let place = at(location.as_ref());
    let (name, after, until) = (short(name), short(after), short(until));
    let thread = part.step.at.as_ref().map_or("the host", |at| trace.track_name(at.track as usize));
    let times = match (part.step.node, *count) {
        (_, 0 | 1) => String::new(),
        (Some(_), count) => format!(" ({count} times)"),
        (None, count) => format!(" ({count} calls)"),
    };
    match (part.class, kind) {
        (GapClass::Synchronisation, StepKind::Wait) => {
            let copied = copied(trace, part);
            format!("the runtime waited in `{name}` by itself on {thread}{place}{copied}")
        }
        (GapClass::Wait, StepKind::Wait) => {
            format!("{thread} waited in `{name}`{place}{}", copied(trace, part))
        }
        (GapClass::Wait | GapClass::Synchronisation, _) => {
            format!("the host waited for `{name}`{place}{times}")
        }
        (GapClass::Build, _) => format!("{thread} built device code in `{name}`{place}{times}"),
        (GapClass::Memory | GapClass::Call, _) => format!("{thread} was in `{name}`{place}{times}"),
        (GapClass::Submission, _) => format!("{thread} submitted `{name}`{place}{times}"),
        (GapClass::Dependence, StepKind::Host) => {
            let tasks = match *count {
                0 | 1 => "a host task".to_owned(),
                count => format!("{count} host tasks"),
            };
            let had_to = if is_before_command { "had to end first" } else { "ran" };
            format!("{tasks}{place}, whose own time is not recorded, {had_to}")
        }
        (GapClass::Dependence, _) if is_before_command => {
            format!("`{name}`{place}{times} had to end first")
        }
        (GapClass::DeviceBusy, _) => format!("the device ran `{name}` of another queue{place}{times}"),
        (GapClass::Launch, _) => format!("`{name}`{times} was on its way through runtime and driver"),
        (GapClass::Host | GapClass::Sampled, _) => match (after.as_str(), until.as_str()) {
            ("", "") if part.step.start_ns == Some(0) => "nothing was recorded yet".to_owned(),
            ("", "") => format!("{name} ran unrecorded code"),
            ("", until) => format!("{name} ran unrecorded code until `{until}`"),
            (after, "") => format!("{name} ran unrecorded code after `{after}`"),
            (after, until) => format!("{name} ran unrecorded code between `{after}` and `{until}`"),
        },
        (GapClass::Paused, _) => "the recording was paused".to_owned(),
        (GapClass::Unknown, _) if name == super::EARLIER => "earlier events were not examined".to_owned(),
        (GapClass::Dependence, _) | (GapClass::Unknown, StepKind::Command) => {
            format!("`{name}`{place} ran elsewhere{times}")
        }
        (GapClass::Unknown, _) => "the recording does not show the cause".to_owned(),
    }
}

/// Returns the size of the only awaited command, if it is a copy. A wait for a queue is for all of its commands.
fn copied(trace: &Trace, part: &GapPart) -> String {
    let bytes = || {
        let block = trace.blocking().of_slice(part.step.at.as_ref()?.slice)?;
        let [node] = trace.blocking().nodes_of(block) else { return None };
        if !trace.blocking().queues_of(trace, block).is_empty() {
            return None;
        }
        let row = some(trace.nodes.execution.at(*node as usize))? as usize;
        let is_copy = trace.executions.kind.at(row) == NodeKind::Copy && part.step.count == 1;
        copied_bytes(trace, row).filter(|_| is_copy)
    };
    bytes().map(|bytes| format!(" for a copy of {}", size(bytes))).unwrap_or_default()
}

fn samples(part: &GapPart) -> String {
    match &part.step.samples {
        None => String::new(),
        Some(samples) if part.class == GapClass::Unknown => format!(" (the program was {})", samples.message),
        Some(samples) => format!(" ({})", samples.message),
    }
}

/// Returns a name, shortened to fit into a sentence.
fn short(name: &str) -> String {
    let short = short_name(name);
    match short.char_indices().nth(NAME_LETTERS) {
        Some((end, _)) => format!("{}…", &short[..end]),
        None => short.into_owned(),
    }
}

/// Returns ` at file:line`, if known.
fn at(location: Option<&LocationInfo>) -> String {
    let Some(location) = location.filter(|location| !location.file.is_empty()) else { return String::new() };
    let file = location.file.rsplit(['/', '\\']).next().unwrap_or(&location.file);
    match location.line {
        0 => format!(" at {file}"),
        line => format!(" at {file}:{line}"),
    }
}
