//! The summary as aligned text; plain, because it goes into pipes and reports as often as onto a terminal.

mod commands;
mod findings;
mod memory;
pub(super) mod problems;
mod slices;
mod steps;
mod waits;

use syclscope_language::api::{LocationInfo, TraceInfo};

pub(crate) use self::commands::kernels;
use super::Told;
use super::section::Section;
use crate::text::{count, duration, printable, wrapped};

/// Longest text of a cell, before it is made to fit.
const CELL_CHARACTERS: usize = 2_000;

/// Longest text of a heading's part.
const HEADING_CHARACTERS: usize = 240;

/// Blanks before what belongs to a section.
const INDENT: &str = "  ";

/// How much room there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Characters of a line.
    pub(super) width: usize,
    /// Rows of a table.
    pub(super) rows: usize,
    /// Steps of the critical path.
    pub(super) steps: usize,
}

/// The whole summary's lines.
pub(super) fn lines(file: &str, told: &Told, room: Room) -> Vec<String> {
    let mut lines = heading(file, &told.info, room.width);
    lines.extend(split(told).iter().chain(&untimed(told)).flat_map(|text| wrapped(text, room.width)));
    let room = Room { width: room.width.saturating_sub(INDENT.len()), ..room };
    for part in Section::REPORT.into_iter().filter(|part| !told.is_part || !part.is_of_the_run()) {
        let body = section(part, told, room);
        if !body.is_empty() {
            lines.push(String::new());
            lines.push(part.title().to_owned());
            lines.extend(body.into_iter().map(|line| format!("{INDENT}{line}")));
        }
    }
    lines
}

/// A section's lines; none if there is nothing to tell.
pub(super) fn section(section: Section, told: &Told, room: Room) -> Vec<String> {
    let Told { info, report, slices, .. } = told;
    match section {
        Section::Slices => slices.as_ref().map(|slices| slices::by_name(slices, room)).unwrap_or_default(),
        // Slices are told in their place.
        Section::Kernels if report.commands.is_empty() && slices.is_some() => Vec::new(),
        Section::Kernels => commands::kernels(&report.commands, room.rows, room.width),
        Section::Copies => commands::copies(&report.copies, room),
        Section::Waits => waits::waits(&report.waits, room),
        Section::Memory => memory::memory(info, report, room),
        Section::Unreleased => memory::unreleased(&report.unreleased, room),
        Section::CriticalPath => steps::critical_path(&report.critical_path, info.duration_ns, room),
        Section::Queues => waits::queues(info, &report.queues, room),
        Section::Findings => findings::findings(report, room),
        Section::Problems => problems::problems(info, room),
        // Has its own columns and order: `super::calls`.
        Section::Calls => Vec::new(),
    }
}

fn heading(file: &str, info: &TraceInfo, width: usize) -> Vec<String> {
    let process = &info.process;
    let program = match info.processes.len() {
        0 | 1 if process.name.is_empty() => "unnamed program".to_owned(),
        0 | 1 => format!("{} (process {})", printable(&process.name, HEADING_CHARACTERS), process.pid),
        several => format!("{} processes", count(several as u64)),
    };
    let mut text = vec![format!("{file}: {program}, {}", duration(info.duration_ns)), holds(info)];
    if !info.complete && !process.recorder.is_empty() {
        text.push("cut short: the program did not end in an orderly way".to_owned());
    }
    if !process.command_line.is_empty() && info.processes.len() <= 1 {
        text.push(format!("command line: {}", printable(&process.command_line, HEADING_CHARACTERS)));
    }
    text.iter().flat_map(|text| wrapped(text, width)).collect()
}

/// Where the run's time went, in a line.
fn split(told: &Told) -> Option<String> {
    let (split, concurrency) = (told.report.split, told.report.concurrency);
    let is_known = !told.is_part && !told.report.commands.is_empty() && split.run_ns > 0;
    is_known.then(|| {
        format!(
            "time: devices {}, only copies {}, the host waits {}, the host works {}; up to {} kernels at once",
            share(split.device_ns, split.run_ns),
            share(split.copy_ns, split.run_ns),
            share(split.wait_ns, split.run_ns),
            share(split.host_ns, split.run_ns),
            count(concurrency.max_kernels)
        )
    })
}

/// What the device told no times of.
fn untimed(told: &Told) -> Option<String> {
    let runs = told.report.untimed_graph_runs(&told.info.counts);
    (!told.is_part && runs > 0).then(|| {
        let executions = if runs == 1 { "execution" } else { "executions" };
        format!(
            "{} {executions} of command graphs have no times of the device: what they took there counts as idle",
            count(runs)
        )
    })
}

/// How much there is; a trace of another program has slices and little else.
fn holds(info: &TraceInfo) -> String {
    let counts = &info.counts;
    let mut parts = vec![
        format!("{} slices on {} tracks", count(counts.slices), count(info.tracks.len() as u64)),
        format!("{} dropped", count(counts.dropped)),
    ];
    if counts.nodes > 0 {
        parts[0] = format!("{} slices", count(counts.slices));
        let (nodes, executions) = (count(counts.nodes), count(counts.executions));
        let commands = [
            format!("{nodes} commands ({executions} with device times)"),
            format!("{} dependences", count(counts.edges)),
            format!("{} calls", count(counts.calls)),
        ];
        parts.splice(..0, commands);
    } else if counts.dropped == 0 {
        parts[1] = format!("{} flows", count(counts.flows));
    }
    parts.join(", ")
}

/// The lines of a table and how many rows are left out.
pub(super) fn cut(mut lines: Vec<String>, all: usize, shown: usize) -> Vec<String> {
    if let Some(more) = all.checked_sub(shown).filter(|more| *more > 0) {
        lines.push(format!("and {} more", count(more as u64)));
    }
    lines
}

fn name(text: &str) -> String {
    printable(text, CELL_CHARACTERS)
}

fn place(location: Option<&LocationInfo>) -> String {
    match location {
        Some(LocationInfo { file, line, .. }) if !file.is_empty() => name(&format!("{file}:{line}")),
        Some(LocationInfo { function, .. }) => name(function),
        None => String::new(),
    }
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}

#[cfg(test)]
mod tests;
