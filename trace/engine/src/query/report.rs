//! Overview of a run.

pub(crate) mod copies;
pub(in crate::query) mod split;
mod unseen;

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{
    CommandReport, Covered, HostTaskReport, KernelSummary, LocationInfo, MemoryReport, Report, RunSplit,
    UnreleasedReport, WaitReport,
};
use syclscope_language::event::{AllocationKind, NodeKind};
use syclscope_language::question::{FindingsQuestion, PathQuestion, ReportQuestion, Selection};

use super::detail::location;
use super::percentile::percentile;
use super::select;
use super::summary::by_name;
use crate::graph::blocking::Block;
use crate::id::{LocationId, some};
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::memory::AllocationRow;
use crate::store::table::Table as _;
use crate::stretches::{Stretches, within};
use syclscope_language::sorting::Sorting as _;

/// The range of a whole run.
const WHOLE: Range<u64> = 0..u64::MAX;

impl Trace {
    /// Returns the overview of the run. Walks over every slice.
    pub fn report(&self) -> Report {
        self.report_within(&ReportQuestion::default())
    }

    /// Returns the overview of the run, or of the slices that overlap a range. Totals are the time in the range. Means
    /// and percentiles use complete slices. `unseen` and `recording` describe the whole run, and are empty for a range.
    pub fn report_within(&self, question: &ReportQuestion) -> Report {
        let &ReportQuestion { from_ns, to_ns } = question;
        let range = from_ns.unwrap_or(0)..to_ns.unwrap_or(u64::MAX);
        let found = self.findings(&FindingsQuestion { from_ns, to_ns, limit: None });
        let (split, concurrency) = split::split(self, &range);
        let rows = (0..self.slices.len()).filter(|row| self.slices.is_in(*row, &range));
        Report {
            split,
            concurrency,
            unseen: if range == WHOLE { unseen::unseen(self) } else { Vec::new() },
            host_tasks: host_tasks(self, &range),
            memory: memory(self, &range),
            unreleased: unreleased(self, &range),
            critical_path: if range == WHOLE {
                self.critical_path()
            } else {
                self.critical_path_within(&PathQuestion { from_ns, to_ns, limit: None })
            },
            queues: self.queue_idle(&range),
            findings: found.findings,
            together_ns: found.together_ns,
            recording: if range == WHOLE { super::cost::largest(self) } else { None },
            build_remedy: super::findings::remedies::of_builds(self, building_process(self, &range)),
            ..of_rows(self, rows, &range)
        }
    }

    /// Returns the commands, copies and waits of a selection. Everything else is empty.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track or object.
    pub fn report_of(&self, selection: &Selection) -> Result<Report, QueryError> {
        let range = selection.from_ns.unwrap_or(0)..selection.to_ns.unwrap_or(u64::MAX);
        Ok(of_rows(self, select::rows(self, selection)?.into_iter(), &range))
    }

    /// Returns the kernels and other commands, most device time first.
    pub fn commands(&self) -> Vec<CommandReport> {
        commands(self, self.device_work(), &WHOLE)
    }
}

fn of_rows(trace: &Trace, rows: impl Iterator<Item = usize> + Clone, range: &Range<u64>) -> Report {
    let rows = || rows.clone();
    Report {
        covered: covered(trace, rows(), range),
        commands: commands(trace, rows(), range),
        copies: copies::by_direction(trace, rows(), range),
        waits: waits(trace, rows(), range),
        ..Report::default()
    }
}

/// Returns the breakdown of the run's time. Walks over every slice.
pub(crate) fn run_split(trace: &Trace) -> RunSplit {
    split::split(trace, &WHOLE).0
}

/// Returns the process that builds longest in a range: the first one if none does.
fn building_process(trace: &Trace, range: &Range<u64>) -> u32 {
    let mut times: FxHashMap<u32, u64> = FxHashMap::default();
    for row in super::calls::builds(trace) {
        let (begin, end) = trace.slices.interval(row);
        *times.entry(trace.process_of_slice(row)).or_default() += within(range, begin, end);
    }
    let longest = times.into_iter().max_by_key(|(process, ns)| (*ns, std::cmp::Reverse(*process)));
    longest.map_or(0, |(process, _)| process)
}

/// Returns the time within a range in which a device ran something.
pub(crate) fn busy_ns(trace: &Trace, range: &Range<u64>) -> u64 {
    let span = |row: usize| trace.slices.interval(row);
    Stretches::new(trace.device_work().map(span).collect()).ns_within(range.start, range.end)
}

fn covered(trace: &Trace, rows: impl Iterator<Item = usize>, range: &Range<u64>) -> Covered {
    let (mut device, mut copy, mut wait) = (Vec::new(), Vec::new(), Vec::new());
    let blocking = trace.blocking();
    for row in rows {
        let span = trace.slices.interval(row);
        if row < trace.executions.kind.len() {
            if trace.executions.in_pieces.at(row) {
                continue;
            }
            device.push(span);
            if trace.executions.kind.at(row) == NodeKind::Copy {
                copy.push(span);
            }
        } else if let Some(block) = blocking.of_slice(row as u32).filter(|block| !block.is_of_runtime) {
            wait.push((block.begin, block.end));
        }
    }
    let [device_ns, copy_ns, wait_ns] =
        [device, copy, wait].map(|spans| Stretches::new(spans).ns_within(range.start, range.end));
    Covered { device_ns, copy_ns, wait_ns }
}

fn commands(trace: &Trace, rows: impl Iterator<Item = usize>, range: &Range<u64>) -> Vec<CommandReport> {
    let (slices, executions) = (&trace.slices, &trace.executions);
    let rows = rows.filter(|row| *row < executions.len() && !executions.in_pieces.at(*row));
    let groups = by_name(trace, rows, range, |times: &mut Times, row| {
        times.durations.push(slices.duration.at(row));
        if let Some(node) = some(slices.node.at(row)).and_then(|node| trace.nodes.get(node)) {
            let ns = times.of_places.entry(node.location).or_default();
            *ns = ns.saturating_add(slices.duration.at(row));
        }
        if let Some(delay) = queueing_delay(trace, row) {
            times.delays_ns = times.delays_ns.saturating_add(delay);
            times.delayed += 1;
        }
    });
    groups.into_iter().map(|(summary, times)| command(trace, summary, times)).collect()
}

#[derive(Default)]
struct Times {
    durations: Vec<u64>,
    delays_ns: u64,
    delayed: u64,
    of_places: FxHashMap<LocationId, u64>,
}

fn queueing_delay(trace: &Trace, row: usize) -> Option<u64> {
    // A piece has the dependences of its command.
    if trace.is_piece(row) {
        return None;
    }
    let submission = some(trace.nodes.get(some(trace.slices.node.at(row))?)?.submission)?;
    Some(trace.slices.start.at(row).saturating_sub(trace.slices.end(submission as usize)))
}

fn command(trace: &Trace, summary: KernelSummary, times: Times) -> CommandReport {
    let KernelSummary { name, kind, count, total_ns, min_ns, max_ns } = summary;
    let Times { mut durations, delays_ns, delayed, of_places } = times;
    durations.sort_unstable();
    let (location, locations) = largest_place(trace, of_places);
    CommandReport {
        name,
        kind,
        count,
        total_ns,
        min_ns,
        mean_ns: durations
            .iter()
            .fold(0, |sum: u64, ns| sum.saturating_add(*ns))
            .checked_div(count)
            .unwrap_or(0),
        p50_ns: percentile(&durations, 50),
        p95_ns: percentile(&durations, 95),
        max_ns,
        mean_queueing_delay_ns: delays_ns.checked_div(delayed),
        location,
        locations,
    }
}

/// Returns the source location with the most time, and the number of lines.
fn largest_place(trace: &Trace, of_places: FxHashMap<LocationId, u64>) -> (Option<LocationInfo>, u64) {
    let mut of_places: Vec<(LocationId, u64)> = of_places.into_iter().collect();
    of_places.arrange_by_key(|(id, _)| id.0);
    let mut lines: BTreeMap<(String, u32), (u64, LocationInfo)> = BTreeMap::new();
    for (id, ns) in of_places {
        let Some(place) = location(trace, id) else { continue };
        let file = if place.file.is_empty() { &place.function } else { &place.file };
        let (sum, _) = lines.entry((file.clone(), place.line)).or_insert((0, place));
        *sum = sum.saturating_add(ns);
    }
    let count = lines.len() as u64;
    let largest = lines.into_values().rev().max_by_key(|(ns, _)| *ns);
    (largest.map(|(_, place)| place), count)
}

/// Returns the host tasks by source location, most tasks first: bounds are no measure of their time. A range selects
/// the tasks that may have run in it, and tasks without bounds that were submitted in it.
fn host_tasks(trace: &Trace, range: &Range<u64>) -> Vec<HostTaskReport> {
    let mut groups: FxHashMap<LocationId, (HostTaskReport, Vec<(u64, u64)>)> = FxHashMap::default();
    for (row, node) in trace.nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::HostTask) {
        let task = trace.host_tasks().get(row as u32);
        let (from, to) = task.map_or((node.created, node.created), |task| (task.from, task.to));
        if from >= range.end || (to <= range.start && from < range.start) {
            continue;
        }
        let (report, spans) = groups.entry(node.location).or_insert_with(|| {
            let location = location(trace, node.location);
            let report = HostTaskReport { location, count: 0, estimated: 0, at_most_ns: 0, longest_ns: 0 };
            (report, Vec::new())
        });
        report.count += 1;
        if let Some(task) = task {
            report.estimated += 1;
            spans.push((task.from, task.to));
            report.longest_ns = report.longest_ns.max(task.duration());
        }
    }
    // Several host tasks may have run at the same time.
    let covered = groups.into_values().map(|(report, spans)| {
        let at_most_ns = Stretches::new(spans).ns_within(range.start, range.end);
        HostTaskReport { at_most_ns, ..report }
    });
    let mut reports: Vec<HostTaskReport> = covered.collect();
    let place =
        |report: &HostTaskReport| report.location.as_ref().map(|place| (place.file.clone(), place.line));
    reports.arrange_by_cached_key(|report| (std::cmp::Reverse(report.count), place(report)));
    reports
}

/// Returns the waits that contain some of the slices `rows`, by name and source location. Each wait counts once.
fn waits(trace: &Trace, rows: impl Iterator<Item = usize>, range: &Range<u64>) -> Vec<WaitReport> {
    let blocking = trace.blocking();
    let blocks = rows.filter_map(|row| blocking.of_slice(row as u32)).filter(|block| !block.is_of_runtime);
    let mut blocks: Vec<Block> = blocks.copied().collect();
    blocks.sort_unstable_by_key(|block| (block.track, block.begin, block.slice));
    blocks.dedup();
    let mut groups: FxHashMap<(&str, LocationId, LocationId), WaitReport> = FxHashMap::default();
    for block in blocks {
        let name = block.name(trace);
        // For a wait without a location, the submission's location helps.
        let submitted =
            if block.place == LocationId(0) { blocking.submitted(trace, &block) } else { LocationId(0) };
        let report = groups.entry((name, block.place, submitted)).or_insert_with(|| WaitReport {
            name: name.to_owned(),
            location: location(trace, block.place),
            submitted: location(trace, submitted),
            count: 0,
            total_ns: 0,
            max_ns: 0,
        });
        let duration = block.duration();
        report.count += 1;
        report.total_ns = report.total_ns.saturating_add(within(range, block.begin, block.end));
        report.max_ns = report.max_ns.max(duration);
    }
    let mut waits: Vec<WaitReport> = groups.into_values().collect();
    let place = |wait: &WaitReport| {
        let place = wait.location.as_ref().or(wait.submitted.as_ref());
        place.map(|place| (place.file.clone(), place.line))
    };
    waits.arrange_by_cached_key(|wait| (std::cmp::Reverse(wait.total_ns), wait.name.clone(), place(wait)));
    waits
}

pub(crate) fn memory(trace: &Trace, range: &Range<u64>) -> Vec<MemoryReport> {
    let of_kind = |kind: AllocationKind| {
        // Releases sort before allocations at the same time: an address may be reused immediately.
        let mut changes: Vec<(u64, bool, u64)> = Vec::new();
        let (mut count, mut total_bytes) = (0, 0_u64);
        for row in trace.allocations.iter().filter(|row| row.kind == kind) {
            let was_before =
                row.at < range.start && row.released.is_some_and(|released| released <= range.start);
            if row.at >= range.end || was_before {
                continue;
            }
            count += 1;
            total_bytes = total_bytes.saturating_add(row.size_bytes);
            changes.push((row.at.max(range.start), true, row.size_bytes));
            let released = row.released.filter(|at| *at < range.end);
            changes.extend(released.map(|at| (at.max(range.start), false, row.size_bytes)));
        }
        changes.sort_by_key(|(at, is_allocation, _)| (*at, *is_allocation));
        let (mut live, mut peak, mut peak_at_ns) = (0_i128, 0_i128, 0);
        for (at, is_allocation, bytes) in changes {
            live += if is_allocation { i128::from(bytes) } else { -i128::from(bytes) };
            if live > peak {
                (peak, peak_at_ns) = (live, at);
            }
        }
        let peak_bytes = u64::try_from(peak).unwrap_or(u64::MAX);
        (count > 0).then_some(MemoryReport { kind, peak_bytes, peak_at_ns, count, total_bytes })
    };
    AllocationKind::ALL.iter().copied().filter_map(of_kind).collect()
}

/// Returns the memory that was allocated in a range and never released. The memory of a process that goes on after the
/// file's part is left out.
fn unreleased(trace: &Trace, range: &Range<u64>) -> Vec<UnreleasedReport> {
    let mut groups: FxHashMap<(LocationId, u8), UnreleasedReport> = FxHashMap::default();
    let is_left = |row: &AllocationRow| row.released.is_none() && !trace.goes_on(row.process);
    for row in trace.allocations.iter().filter(|row| is_left(row) && range.contains(&row.at)) {
        let report = groups.entry((row.location, row.kind as u8)).or_insert_with(|| UnreleasedReport {
            kind: row.kind,
            location: location(trace, row.location),
            count: 0,
            bytes: 0,
        });
        report.count += 1;
        report.bytes = report.bytes.saturating_add(row.size_bytes);
    }
    let mut reports: Vec<UnreleasedReport> = groups.into_values().collect();
    let place = |report: &UnreleasedReport| {
        report.location.as_ref().map(|place| (place.file.clone(), place.line, place.column))
    };
    reports.arrange_by_cached_key(|report| (std::cmp::Reverse(report.bytes), report.kind, place(report)));
    reports
}
