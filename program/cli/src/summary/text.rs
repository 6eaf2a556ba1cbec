//! The summary as aligned plain text, because its output is a pipe or a report as often as a terminal.

mod commands;
mod energy;
mod findings;
mod gaps;
mod iterations;
mod memory;
pub(super) mod problems;
mod regions;
mod slices;
mod start_up;
mod steps;
mod waits;

use syclscope_language::api::{LocationInfo, TraceInfo};

pub(crate) use self::commands::kernels;
use super::Summary;
use super::section::Section;
use syclscope_text::{columns, count, counted, duration, printable, without_start, wrapped};

/// Maximum width of a cell before the table shortens it. A part of a name or symbol has no short form, and symbols of
/// oneDPL's kernels have thousands of letters.
const CELL_COLUMNS: usize = 1 << 16;

const HEADING_COLUMNS: usize = 240;

/// Number of idle gaps, builds and steps of iterations and start-up in the whole summary.
const MAX_STRETCHES: usize = 3;

const INDENT: &str = "  ";

/// Minimum width of a location behind other words.
const MIN_LOCATION: usize = 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) width: usize,
    pub(super) rows: usize,
    pub(super) steps: usize,
}

pub(super) fn lines(file: &str, summary: &Summary, room: Room) -> Vec<String> {
    let mut lines = heading(file, &summary.info, room.width);
    lines.extend(
        split(summary)
            .iter()
            .chain(&idle(summary))
            .chain(unseen(summary))
            .chain(&recording(summary))
            .flat_map(|text| wrapped(&name(text), room.width)),
    );
    let room = Room { width: room.width.saturating_sub(INDENT.len()), ..room };
    let few = Room { steps: room.steps.min(MAX_STRETCHES), ..room };
    for part in Section::REPORT.into_iter().filter(|part| !summary.is_part || !part.needs_whole_run()) {
        let is_short =
            matches!(part, Section::Gaps | Section::Iterations | Section::StartUp | Section::Builds);
        let body = section(part, summary, if is_short { few } else { room });
        if !body.is_empty() {
            lines.push(String::new());
            lines.push(part.title().to_owned());
            lines.extend(body.into_iter().map(|line| format!("{INDENT}{line}")));
        } else if part == Section::Findings && summary.gaps.is_some() {
            // With a filter there are neither idle gaps nor findings.
            lines.extend([String::new(), part.none()]);
        }
    }
    lines
}

pub(super) fn section(section: Section, summary: &Summary, room: Room) -> Vec<String> {
    let Summary { info, report, slices, gaps: idle, .. } = summary;
    match section {
        Section::Slices => slices.as_ref().map(|slices| slices::by_name(slices, room)).unwrap_or_default(),
        // Slices replace the kernels.
        Section::Kernels if report.commands.is_empty() && slices.is_some() => Vec::new(),
        Section::Kernels => {
            // In a part without commands, missing device times are no sign of a problem.
            let lines = if summary.is_part && report.commands.is_empty() {
                Vec::new()
            } else {
                commands::kernels(&report.commands, room.rows, room.width)
            };
            let sums = report.commands.iter().map(|command| (command.count, command.total_ns));
            let mut lines =
                with_sum(lines, "command", sums, "devices were busy for", report.covered.device_ns);
            lines.extend(commands::host_tasks(&report.host_tasks, room));
            lines
        }
        Section::Energy => {
            summary.energy.as_ref().map(|found| energy::energy(found, room)).unwrap_or_default()
        }
        Section::Regions => {
            summary.regions.as_ref().map(|found| regions::regions(found, room)).unwrap_or_default()
        }
        Section::Iterations => {
            summary.iterations.as_ref().map(|found| iterations::iterations(found, room)).unwrap_or_default()
        }
        Section::StartUp => {
            summary.start_up.as_ref().map(|found| start_up::start_up(found, room)).unwrap_or_default()
        }
        Section::Builds => {
            summary.builds.as_ref().map(|found| start_up::builds(found, room)).unwrap_or_default()
        }
        Section::Copies => {
            let sums = report.copies.iter().map(|copy| (copy.count, copy.total_ns));
            let lines = commands::copies(&report.copies, room);
            with_sum(lines, "copy command", sums, "devices were copying for", report.covered.copy_ns)
        }
        Section::Waits => {
            let sums = report.waits.iter().map(|wait| (wait.count, wait.total_ns));
            with_sum(
                waits::waits(&report.waits, room),
                "wait",
                sums,
                "the host was waiting for",
                report.covered.wait_ns,
            )
        }
        Section::Memory => memory::memory(summary, room),
        Section::Unreleased => memory::unreleased(&report.unreleased, room),
        Section::CriticalPath => steps::critical_path(&report.critical_path, room),
        Section::Queues => waits::queues(info, &report.queues, room),
        Section::Gaps => idle.as_ref().map(|idle| gaps::gaps(idle, room)).unwrap_or_default(),
        Section::Findings => findings::findings(summary, room),
        Section::Problems => problems::problems(info, room),
        // `super::calls` prints them, with their own columns and order.
        Section::Calls => Vec::new(),
    }
}

fn heading(file: &str, info: &TraceInfo, width: usize) -> Vec<String> {
    let process = &info.process;
    let program = match info.processes.len() {
        0 | 1 if process.name.is_empty() && info.program.is_empty() => "unnamed program".to_owned(),
        0 | 1 if process.name.is_empty() => info.program.clone(),
        0 | 1 => format!("{} (process {})", printable(&process.ranked_name(), HEADING_COLUMNS), process.pid),
        several => counted(several as u64, "process"),
    };
    let mut text = vec![format!("{file}: {program}, {}", duration(info.duration_ns)), size_text(info)];
    if !info.complete && !process.recorder.is_empty() && info.producer().is_none() {
        text.push("cut short: the program did not end normally".to_owned());
    }
    if !process.command_line.is_empty() && info.processes.len() <= 1 {
        text.push(format!("command line: {}", printable(&process.command_line, HEADING_COLUMNS)));
    }
    text.iter().flat_map(|text| wrapped(text, width)).collect()
}

fn split(summary: &Summary) -> Option<String> {
    let (split, concurrency) = (summary.report.split, summary.report.concurrency);
    let is_known = !summary.report.commands.is_empty() && split.run_ns > 0;
    let at_once = match concurrency.max_kernels {
        0 => String::new(),
        kernels => format!("; up to {} at once", counted(kernels, "kernel")),
    };
    let unknown = match split.unknown_ns {
        0 => String::new(),
        ns => format!(", not known {} (no device times)", share(ns, split.run_ns)),
    };
    is_known.then(|| {
        format!(
            "time: devices computing {}, only copying {}, idle with host waiting {}, idle with host not waiting {}{unknown}{at_once}",
            share(split.device_ns, split.run_ns),
            share(split.copy_ns, split.run_ns),
            share(split.wait_ns, split.run_ns),
            share(split.host_ns, split.run_ns),
        )
    })
}

fn idle(summary: &Summary) -> Option<String> {
    let idle = summary.report.split.idle;
    let is_known = !summary.report.commands.is_empty() && idle.ns() > 0;
    is_known.then(|| {
        let parts = idle.parts().map(|(ns, what)| format!("{} {what}", duration(ns)));
        format!("devices idle for {}: {}", duration(idle.ns()), parts.collect::<Vec<_>>().join(", "))
    })
}

fn unseen(summary: &Summary) -> &[String] {
    if summary.is_part { &[] } else { &summary.report.unseen }
}

/// Describes the cost of recording, if it is significant.
fn recording(summary: &Summary) -> Option<String> {
    summary.report.recording.as_ref()?.words(count)
}

/// Describes the size of the trace. Other tools' traces have little more than slices.
fn size_text(info: &TraceInfo) -> String {
    let counts = &info.counts;
    let mut parts = vec![
        format!("{} on {}", counted(counts.slices, "slice"), counted(info.tracks.len() as u64, "track")),
        format!("{} dropped", count(counts.dropped)),
    ];
    if counts.nodes > 0 {
        let calls = counted(counts.calls + counts.native_calls, "call");
        parts[0] = counted(counts.slices, "slice");
        let (commands, executions) = (counted(counts.commands, "command"), count(counts.executions));
        let known = if info.producer().is_some() {
            vec![commands, calls]
        } else {
            vec![
                format!("{commands} ({executions} with device times)"),
                counted(counts.edges, "dependence"),
                calls,
            ]
        };
        parts.splice(..0, known);
    } else if counts.dropped == 0 {
        parts[1] = counted(counts.flows, "flow");
    }
    parts.join(", ")
}

/// Adds the sum of a table's times, and the time that they cover, in which overlaps count once.
fn with_sum(
    mut lines: Vec<String>,
    of: &str,
    sums: impl Iterator<Item = (u64, u64)>,
    words: &str,
    covered_ns: u64,
) -> Vec<String> {
    let (number, sum_ns) =
        sums.fold((0, 0_u64), |(number, sum), (more, ns)| (number + more, sum.saturating_add(ns)));
    if number > 0 {
        let (number, sum) = (counted(number, of), duration(sum_ns));
        lines.push(format!("summed over {number}: {sum}; {words} {}", duration(covered_ns)));
    }
    lines
}

pub(super) fn cut(mut lines: Vec<String>, all: usize, shown: usize) -> Vec<String> {
    if let Some(more) = all.checked_sub(shown).filter(|more| *more > 0) {
        lines.push(format!("and {} more", count(more as u64)));
    }
    lines
}

fn name(text: &str) -> String {
    printable(text, CELL_COLUMNS)
}

fn location(location: Option<&LocationInfo>) -> String {
    match location {
        Some(LocationInfo { file, line, .. }) if !file.is_empty() => name(&format!("{file}:{line}")),
        Some(LocationInfo { function, .. }) => name(function),
        None => String::new(),
    }
}

/// Returns a line that ends with a source location, whose beginning is left out where it does not fit.
fn at_location(start: &str, place: Option<&LocationInfo>, width: usize) -> String {
    let place = location(place);
    if place.is_empty() {
        return start.to_owned();
    }
    let left = width.saturating_sub(columns(start) + 2).max(MIN_LOCATION);
    format!("{start}, {}", without_start(&place, left))
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "–".to_owned() } else { syclscope_language::share::share(part, whole, 1) }
}

#[cfg(test)]
mod tests;
