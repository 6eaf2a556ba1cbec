//! What the host did on the critical path: submissions, calls by their names, and what the recording says nothing of.

use std::ops::Range;

use syclscope_language::api::{CriticalPath, CriticalStep, StepKind};
use syclscope_language::event::Category;

use crate::graph::commands::{Commands, Step};
use crate::id::some;
use crate::query::detail::{location, slice_ref};
use crate::store::Trace;
use crate::store::table::Table as _;

/// A step that stands for nothing in particular.
pub(super) fn step(kind: StepKind, name: &str, duration_ns: u64) -> CriticalStep {
    CriticalStep { kind, name: name.to_owned(), duration_ns, node: None, at: None, location: None, count: 1 }
}

/// Appends a step.
pub(super) fn push(path: &mut CriticalPath, step: CriticalStep) {
    *match step.kind {
        StepKind::Command => &mut path.device_ns,
        StepKind::Submission => &mut path.submission_ns,
        StepKind::Call => &mut path.call_ns,
        StepKind::Wait => &mut path.wait_ns,
        StepKind::Host => &mut path.host_ns,
    } += step.duration_ns;
    path.steps.push(step);
}

/// Appends what the thread of one step did until the next one.
pub(super) fn add_host(
    trace: &Trace,
    commands: &Commands,
    source: Option<u32>,
    target: u32,
    path: &mut CriticalPath,
) {
    let Some(source) = source else { return };
    let arcs = commands.steps.incoming(target).filter(|arc| arc.source == source);
    let lag_ns = arcs.map(|arc| arc.lag_ns).max().unwrap_or_default();
    let (track, from) = match commands.step(source) {
        Step::Wait(slice) => {
            let Some(block) = trace.blocking().of_slice(slice) else { return };
            (block.track, block.end)
        }
        Step::Thread(_) => {
            let Some(thread) = commands.thread(source) else { return };
            (thread.track, thread.first)
        }
        Step::Node(_) => return,
    };
    let steps = match commands.thread(target) {
        // Nobody knows what made the thread.
        Some(thread) => vec![step(StepKind::Host, &trace.track_name(thread.track as usize), lag_ns)],
        None => on_thread(trace, track, from..from + lag_ns),
    };
    steps.into_iter().filter(|step| step.duration_ns > 0).for_each(|step| push(path, step));
}

/// What a thread did in a range of time. Calls of one name are one step, and what lies between all of it is another.
fn on_thread(trace: &Trace, track: u32, range: Range<u64>) -> Vec<CriticalStep> {
    let Some(row) = trace.tracks.get(track) else { return Vec::new() };
    let lanes = row.first_lane as usize..(row.first_lane + row.lanes) as usize;
    let mut told = Told { trace, known: rustc_hash::FxHashMap::default(), steps: Vec::new(), told_ns: 0 };
    told.look(lanes, range.clone());
    let unknown_ns = (range.end - range.start).saturating_sub(told.told_ns);
    let mut steps = vec![step(StepKind::Host, &trace.track_name(track as usize), unknown_ns)];
    steps.extend(told.steps.into_iter().map(|(_, step)| step));
    steps
}

/// What slices tell of a time.
struct Told<'t> {
    trace: &'t Trace,
    /// Category and name: the place among the steps.
    known: rustc_hash::FxHashMap<(StepKind, u32, u32), usize>,
    /// Each with the longest part that a slice of it has.
    steps: Vec<(u64, CriticalStep)>,
    told_ns: u64,
}

/// Slices of a lane that a look goes through, and what of the time and of the lanes is left for them.
struct Level {
    rows: Range<usize>,
    inner: Range<usize>,
    range: Range<u64>,
}

impl Told<'_> {
    /// Looks into slices that tell nothing themselves before it goes on after them. A file says how deep they lie, so
    /// what is open is a list and no recursion.
    fn look(&mut self, lanes: Range<usize>, range: Range<u64>) {
        let mut open: Vec<Level> = self.level(lanes, range).into_iter().collect();
        while let Some(level) = open.last_mut() {
            let slices = &self.trace.slices;
            let Some(row) = level.rows.next().filter(|row| slices.start.at(*row) < level.range.end) else {
                open.pop();
                continue;
            };
            let (start, end) = (slices.start.at(row), slices.end(row));
            let part = start.max(level.range.start)..end.min(level.range.end);
            let inner = level.inner.clone();
            if part.start < part.end && !self.slice(row, part.clone()) {
                open.extend(self.level(inner, part));
            }
        }
    }

    /// The slices of the first of some lanes that may reach into a range.
    fn level(&self, mut lanes: Range<usize>, range: Range<u64>) -> Option<Level> {
        let rows = self.trace.slices.lane(lanes.next()?);
        let starts = self.trace.slices.start.get(rows.clone())?;
        // The last one that began before the range may reach into it.
        let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        Some(Level { rows: rows.start + first..rows.end, inner: lanes, range })
    }

    /// Adds a part of a slice, unless that tells nothing and what is in it may.
    fn slice(&mut self, row: usize, part: Range<u64>) -> bool {
        let trace = self.trace;
        let (kind, node) = match trace.slices.category(row) {
            Category::Submission => (StepKind::Submission, some(trace.slices.node.at(row))),
            Category::Call | Category::Native | Category::Memory => (StepKind::Call, None),
            // What the program or another tool says of its own is no call.
            _ => return false,
        };
        let length = part.end - part.start;
        self.told_ns += length;
        let name = trace.slices.name.at(row);
        let steps = &mut self.steps;
        let known = *self.known.entry((kind, name.0, node.unwrap_or_default())).or_insert_with(|| {
            let number = node.and_then(|node| trace.nodes.get(node)).map(|node| node.number);
            steps
                .push((0, CriticalStep { count: 0, node: number, ..step(kind, trace.strings.get(name), 0) }));
            steps.len() - 1
        });
        let (longest, step) = &mut self.steps[known];
        step.count += 1;
        step.duration_ns += length;
        if length > *longest {
            *longest = length;
            step.at = Some(slice_ref(trace, row as u32));
            step.location = location(trace, crate::query::matcher::place(trace, row));
        }
        true
    }
}
