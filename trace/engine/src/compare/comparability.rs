//! Comparability of runs: differences of environment and machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syclscope_language::api::{ComparisonNote, FactDifference, Severity};
use syclscope_language::event::FactKind;
use syclscope_language::machine_counters;

use super::clocks;
use super::items::Items;
use super::sample::{Fact, Sample};
use crate::id::{NONE, some};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::strings::without_numbers;
use syclscope_language::sorting::Sorting as _;

/// Parts of the names of counters that measure the machine's state.
const COUNTERS: [&str; 4] = ["clock", "frequency", "power", "temperature"];
/// Start of the names of the recorder's own settings.
const OWN_SETTING: &str = "SYCLSCOPE_";
/// Relative difference of such a counter that is reported.
const COUNTER_CHANGE: f64 = 0.05;
/// Problem of a file without the start or the end of a process.
const PART_OF_RUN: &str = "part_of_run";

pub(super) fn facts(trace: &Trace, range: &Range<u64>) -> Vec<Fact> {
    let text = |id| trace.strings.get(id).to_owned();
    let fact = |about: &str, name: String, value: String| Fact { about: about.to_owned(), name, value };
    let mut facts = Vec::new();
    for device in trace.machine.devices.iter() {
        facts.push(fact("device", text(device.name), text(device.device_type)));
        facts.push(fact("driver", text(device.name), text(device.driver)));
    }
    // Other tools' files have queues and no devices.
    if trace.machine.devices.len() == 0 {
        for queue in trace.queues.iter() {
            facts.push(fact("device", text(queue.device), text(queue.device_type)));
        }
    }
    for row in trace.machine.facts.iter() {
        let (name, value) = (text(row.name), text(row.value));
        match row.kind {
            FactKind::Environment => facts.push(fact("environment", name, value)),
            FactKind::Version => facts.push(fact("version", name, without_path(&value))),
            // A path to a recording is not a setting.
            _ if value.starts_with('/') => {}
            _ => facts.push(fact("setting", name, value)),
        }
    }
    for process in &trace.processes {
        if !process.command_line.is_empty() {
            let arguments = arguments(&process.command_line, &process.name).to_owned();
            facts.push(fact("arguments", process.name.clone(), arguments));
        }
        facts.push(fact("program", "program".to_owned(), process.name.clone()));
        facts.push(fact("host", "host".to_owned(), process.host.clone()));
        facts.push(fact("recorder", "recorder".to_owned(), process.recorder.clone()));
    }
    for track in trace.tracks.iter() {
        let name = text(track.name);
        // Of our own counters, only the clock of a GPU at work matters.
        let is_state = machine_counters::unit(&name).is_none()
            && COUNTERS.iter().any(|word| name.to_lowercase().contains(word));
        if let Some(mean) = some(track.counter).filter(|_| is_state).and_then(|counter| mean(trace, counter))
        {
            facts.push(fact("counter", name, format!("{mean:.1}")));
        }
    }
    facts.extend(clocks::facts(trace, range).into_iter().map(|(name, value)| fact("counter", name, value)));
    facts.retain(|fact| !fact.value.is_empty());
    facts.sort_unstable();
    facts.dedup();
    facts
}

fn counter_facts(runs: &[Sample]) -> Vec<(&str, &str)> {
    let facts = runs.iter().flat_map(|run| &run.facts).filter(|fact| fact.about == "counter");
    facts.map(|fact| (fact.name.as_str(), fact.value.as_str())).collect()
}

/// Returns the command line without the program, whose path differs in every checkout and may have blanks: it ends with
/// the process's name.
fn arguments<'c>(command_line: &'c str, name: &str) -> &'c str {
    let mut places = command_line.match_indices(name).filter(|_| !name.is_empty());
    let after_program = places.find_map(|(at, _)| {
        let (path, rest) = (&command_line[..at], &command_line[at + name.len()..]);
        let is_name = path.is_empty() || path.ends_with('/');
        (is_name && (rest.is_empty() || rest.starts_with(' '))).then(|| rest.trim_start())
    });
    after_program.or_else(|| Some(command_line.split_once(' ')?.1)).unwrap_or_default()
}

fn mean(trace: &Trace, counter: u32) -> Option<f64> {
    let rows = trace.counters.rows(counter);
    let values = rows.clone().map(|row| trace.counters.value.at(row));
    (!rows.is_empty()).then(|| values.sum::<f64>() / rows.len() as f64)
}

/// Returns the stable names of a recording's problems.
pub(super) fn problems(trace: &Trace, items: &Items) -> Vec<String> {
    let mut problems = Vec::new();
    let is_ours =
        trace.producer().is_none() && trace.processes.iter().any(|process| !process.recorder.is_empty());
    if items.len() == 0 {
        problems.push("empty");
    }
    if items.are_slices && items.len() > 0 {
        problems.push("no_commands");
    }
    let is_cut = |kind: &str| matches!(kind, "truncated_file" | "unfinished");
    let has_loss =
        trace.diagnostics.iter().any(|problem| problem.severity != Severity::Info && is_cut(&problem.kind));
    if has_loss || (is_ours && !trace.complete) {
        problems.push("cut_short");
    }
    if (0..trace.processes.len() as u32).any(|process| is_part(trace, process)) {
        problems.push(PART_OF_RUN);
    }
    if trace.dropped > 0 {
        problems.push("events_lost");
    }
    if items.len() > 0 && items.slice.iter().all(|slice| *slice == NONE) {
        problems.push("no_device_times");
    }
    if trace.machine.pauses.len() > 0 {
        problems.push("paused");
    }
    problems.into_iter().map(str::to_owned).collect()
}

/// True if a file lacks a recorded part of a process. A file that ends in a pause of the recording is complete, such as
/// that of a block of Python.
fn is_part(trace: &Trace, process: u32) -> bool {
    let mut pauses = trace.machine.pauses.iter();
    let is_paused = pauses.any(|pause| pause.process == process && pause.end.is_none());
    !trace.has_since(process, 0) || (trace.goes_on(process) && !is_paused)
}

/// True if a whole file has only a part of a run. A chosen loop or region may lie in that part.
pub(super) fn is_cut(run: &Sample) -> bool {
    run.part.is_empty() && run.problems.iter().any(|own| own == PART_OF_RUN)
}

/// True if durations can be compared: the parts' length is not fixed, and all belong to the same loop.
pub(super) fn have_duration(sides: [&[Sample]; 2]) -> bool {
    let has_no_length = |run: &Sample| run.has_fixed_length() || is_cut(run);
    !sides.into_iter().flatten().any(has_no_length) && other_loops(sides).is_none()
}

/// True if different versions of syclscope searched for findings.
fn have_other_rules(sides: [&[Sample]; 2]) -> bool {
    let mut versions = sides.into_iter().flatten().map(|run| &run.version);
    versions.next().is_some_and(|first| versions.any(|version| version != first))
}

/// Returns the names of two loops, if the parts are iterations of different ones.
fn other_loops(sides: [&[Sample]; 2]) -> Option<[&str; 2]> {
    let mut runs = sides.into_iter().flatten();
    let first = &runs.next()?.mark;
    let other = &runs.find(|run| run.mark != *first)?.mark;
    Some([first, other].map(|mark| mark.as_ref().map_or("unknown", |mark| mark.name.as_str())))
}

type Values<'r> = [Vec<&'r str>; 2];

pub(super) fn differences(a: &[Sample], b: &[Sample]) -> Vec<FactDifference> {
    // By subject and name.
    let mut values: BTreeMap<(&str, &str), Values<'_>> = BTreeMap::new();
    for (side, runs) in [a, b].into_iter().enumerate() {
        for fact in runs.iter().flat_map(|run| &run.facts) {
            let known = values.entry((&fact.about, &fact.name)).or_default();
            if !known[side].contains(&fact.value.as_str()) {
                known[side].push(&fact.value);
            }
        }
    }
    let mut differences = Vec::new();
    for ((about, name), [mut of_a, mut of_b]) in values {
        of_a.sort_unstable();
        of_b.sort_unstable();
        let is_near = match about {
            "counter" => are_near(&of_a, &of_b),
            // The recorder's measurements, of clocks and of records, differ in every run.
            "setting" if !name.starts_with(OWN_SETTING) => unnumbered(&of_a) == unnumbered(&of_b),
            _ => false,
        };
        if of_a == of_b || is_near {
            continue;
        }
        let joined = |values: &[&str]| (!values.is_empty()).then(|| values.join(", "));
        let (about, name) = (about.to_owned(), name.to_owned());
        differences.push(FactDifference { about, name, a: joined(&of_a), b: joined(&of_b) });
    }
    differences
}

/// Returns the distinct values with their numbers replaced.
fn unnumbered(values: &[&str]) -> BTreeSet<String> {
    values.iter().map(|value| without_numbers(value)).collect()
}

/// True if the means of a counter differ too little to matter.
fn are_near(a: &[&str], b: &[&str]) -> bool {
    let mean = |values: &[&str]| {
        let numbers: Vec<f64> = values.iter().filter_map(|value| value.parse().ok()).collect();
        (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
    };
    match (mean(a), mean(b)) {
        (Some(a), Some(b)) => (a - b).abs() <= COUNTER_CHANGE * a.abs().max(b.abs()),
        _ => false,
    }
}

/// Returns notes to read before the result, most severe first.
pub(super) fn notes(
    sides: [&[Sample]; 2],
    commands: [u64; 2],
    matched: u64,
    is_without_directions: bool,
) -> Vec<ComparisonNote> {
    let mut notes = Vec::new();
    let mut push = |kind: &str, is_severe: bool, message: String| {
        notes.push(ComparisonNote { kind: kind.to_owned(), message, is_severe });
    };
    let names = ["A", "B"];
    for (side, name) in names.into_iter().enumerate() {
        let has = |problem: &str| {
            sides[side].iter().filter(|run| run.problems.iter().any(|own| own == problem)).count()
        };
        let of = |count: usize| match sides[side].len() {
            1 => format!("{name} "),
            runs => format!("{count} of {runs} runs of {name} "),
        };
        let messages: [(&str, bool, &str); 7] = [
            ("empty", true, "hold nothing that could be compared."),
            (
                "no_commands",
                false,
                "hold no commands of a device: slices are compared by name, in the order of each thread.",
            ),
            (
                "cut_short",
                false,
                "were cut short: commands missing at the end are no difference of the programs.",
            ),
            (
                PART_OF_RUN,
                false,
                "hold only a part of the run: its duration and missing events are no difference of the programs.",
            ),
            (
                "events_lost",
                false,
                "lost events while they were recorded: missing commands may be no difference. Record again with a larger --buffer-size.",
            ),
            (
                "no_device_times",
                true,
                "hold no times of the device: kernels are counted, but their times are not compared.",
            ),
            ("paused", false, "were paused for a part of the time: times of the whole run say little."),
        ];
        for (kind, is_severe, message) in messages {
            let count = has(kind);
            if count > 0 {
                let verb = if sides[side].len() == 1 { singular(message) } else { message.to_owned() };
                push(kind, is_severe, format!("{}{verb}", of(count)));
            }
        }
    }
    let most = commands[0].max(commands[1]);
    let least = commands[0].min(commands[1]);
    if least > 0 && matched == 0 {
        push("nothing_in_common", true, "A and B have no command in common: these are different programs, or a trace of another kind. Only sums are compared.".to_owned());
    } else if least > 0 && matched * 2 < least {
        push(
            "little_in_common",
            true,
            format!(
                "Only {matched} of {least} commands of the smaller side are on the other side, too: these may be different programs."
            ),
        );
    }
    if least > 0 && most / least >= 100 {
        push(
            "different_sizes",
            true,
            format!(
                "One side has {} times as many commands as the other: sums and the time of the whole run say little.",
                most / least
            ),
        );
    }
    let [a, b] = sides.map(counter_facts);
    if let Some(message) = clocks::difference([&a, &b]) {
        push("clocks_differ", true, message);
    }
    if is_without_directions {
        push(
            "no_directions",
            false,
            "Some runs do not say from where to where copies go (a baseline of an older version, or a recording without calls): \
             copies of one line are one row, whatever their direction. Write the baseline again, or record calls."
                .to_owned(),
        );
    }
    if have_other_rules(sides) {
        push(
            "other_rules",
            false,
            "Different versions of syclscope read the runs, and each has its own rules: a finding on one side only may be no \
             difference. Write the baseline again."
                .to_owned(),
        );
    }
    if let Some([first, other]) = other_loops(sides) {
        push(
            "different_loops",
            true,
            format!(
                "The loops that were found are not the same in all runs ({first} and {other}), so nothing follows from their times. Choose a \
                 region to compare the same one."
            ),
        );
    }
    if sides.into_iter().flatten().any(Sample::has_fixed_length) {
        push(
            "fixed_time",
            false,
            "The chosen range has the same length in every run, so its duration can't differ. Choose iterations or a region to compare durations."
                .to_owned(),
        );
    }
    if sides.iter().all(|runs| runs.len() == 1) {
        push("one_run_each", false, "One run each: no significance. Runs of the same program differ, too; record at least five of each side (`record --repeat 5`).".to_owned());
    } else if sides.iter().any(|runs| runs.len() == 1) {
        push(
            "few_runs",
            false,
            "One run on a side: no significance, because its spread is unknown. Record at least five of each side \
             (`record --repeat 5`)."
                .to_owned(),
        );
    } else if sides.iter().any(|runs| runs.len() < super::statistics::RUNS_FOR_A_TEST) {
        push(
            "few_runs",
            false,
            "Fewer than five runs on a side can't prove a change: record at least five of each.".to_owned(),
        );
    }
    notes.arrange_by_key(|note| !note.is_severe);
    notes
}

/// Returns the singular form of a message about recordings.
fn singular(message: &str) -> String {
    let verbs = [("hold ", "holds "), ("were ", "was "), ("lost ", "lost ")];
    let verb = verbs.iter().find(|(several, _)| message.starts_with(several));
    let message = verb.map_or_else(|| message.to_owned(), |(several, one)| message.replacen(several, one, 1));
    message.replacen("while they were recorded", "while it was recorded", 1)
}

/// Returns a version without the path of its library, which differs in every environment: `1.6
/// (/home/ada/lib/libze.so)`.
fn without_path(version: &str) -> String {
    version.split(" (/").next().unwrap_or(version).to_owned()
}
