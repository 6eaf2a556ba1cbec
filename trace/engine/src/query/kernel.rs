//! One kernel: its executions by duration, over time, by queue and by launch size.

mod bins;
pub(super) mod sizes;

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{ExecutionPoints, ExecutionStats, KernelProfile, QueueExecutions};
use syclscope_language::event::Category;
use syclscope_language::filter::{Condition, Field, Filter, Op};
use syclscope_language::question::{KernelQuestion, Selection};
use syclscope_language::sorting::Sorting as _;

use self::bins::Bins;
use super::detail::slice_ref;
use super::matcher::kind_of;
use super::percentile::percentile;
use super::select::SelectedSlices;
use crate::id::some;
use crate::query::QueryError;
use crate::query::program_calls::ProgramCalls;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

#[derive(Clone, Copy)]
struct Execution {
    row: usize,
    track: u32,
    start: u64,
    duration: u64,
    /// Slice of its submission, if the submission's duration is known.
    submission: Option<usize>,
    is_first: bool,
}

impl Trace {
    /// Returns the profile of the executions with a name. Traces without executions have slices in categories of device
    /// work instead. Filters by name, and walks over the calls for builds.
    ///
    /// # Errors
    /// Returns an error if the selection names an unknown track or object.
    pub fn kernel(&self, question: &KernelQuestion) -> Result<KernelProfile, QueryError> {
        let mut executions = executions(self, question)?;
        let Some(kind) = executions.first().map(|first| kind_of(self, first.row)) else {
            return Ok(KernelProfile::default());
        };
        let limit = question.limit as usize;
        let (queues, more_queues) = by_queue(self, &mut executions, limit);
        let (sizes, more_sizes) = sizes::by_size(self, &executions, limit);
        let builds = builds(self, &executions);
        let (first, later): (Vec<_>, Vec<_>) = executions.iter().partition(|one| one.is_first);
        let bins = Bins::new(&executions);
        Ok(KernelProfile {
            kind,
            all: stats(self, &executions),
            first: stats(self, first),
            later: stats(self, later),
            build_ns: covered(self, &builds),
            builds: builds.iter().take(limit).map(|row| slice_ref(self, *row)).collect(),
            points: points(&executions, &bins, question.points as usize),
            bins: bins.filled(&executions),
            queues,
            more_queues,
            sizes,
            more_sizes,
        })
    }
}

/// Returns the executions selected by a question, by row.
fn executions(trace: &Trace, question: &KernelQuestion) -> Result<Vec<Execution>, QueryError> {
    let name = Filter::Is(Condition { field: Field::Name, op: Op::Is, value: question.name.clone() });
    let filter = name.and(question.selection.filter.clone());
    let mut selected = SelectedSlices::new(trace, &Selection { filter, ..question.selection.clone() })?;
    let all = trace.executions.len();
    if all > 0 {
        // Executions are the first slices.
        selected.lanes.retain(|lane| lane.rows.start < all);
    }
    let mut executions = Vec::new();
    selected.for_each(|slice| {
        use Category::{Command, Copy, Fill, Kernel};
        let (row, category) = (slice.row, trace.slices.category(slice.row));
        if row >= all && (all > 0 || !matches!(category, Kernel | Copy | Fill | Command)) {
            return;
        }
        executions.push(Execution {
            row,
            track: slice.track,
            start: trace.slices.start.at(row),
            duration: trace.slices.duration.at(row),
            submission: submission(trace, row),
            is_first: false,
        });
    });
    executions.arrange_by_key(|one| one.row);
    Ok(executions)
}

fn submission(trace: &Trace, row: usize) -> Option<usize> {
    if trace.is_piece(row) {
        return None;
    }
    let node = trace.nodes.get(some(trace.slices.node.at(row))?)?;
    let submission = some(node.submission)? as usize;
    (!trace.slices.is_unfinished(submission)).then_some(submission)
}

fn stats<'e>(trace: &Trace, executions: impl IntoIterator<Item = &'e Execution>) -> ExecutionStats {
    let (mut durations, mut submissions) = (Vec::new(), Vec::new());
    let mut total_ns = 0_u64;
    for one in executions {
        total_ns = total_ns.saturating_add(one.duration);
        durations.push(one.duration);
        submissions.extend(one.submission.map(|slice| trace.slices.duration.at(slice)));
    }
    durations.sort_unstable();
    submissions.sort_unstable();
    ExecutionStats {
        count: durations.len() as u64,
        total_ns,
        min_ns: durations.first().copied().unwrap_or_default(),
        p50_ns: percentile(&durations, 50),
        p95_ns: percentile(&durations, 95),
        max_ns: durations.last().copied().unwrap_or_default(),
        submission_p50_ns: (!submissions.is_empty()).then(|| percentile(&submissions, 50)),
    }
}

/// Returns the time that slices cover together: overlaps count once.
fn covered(trace: &Trace, slices: &[u32]) -> u64 {
    let span = |row: &u32| trace.slices.interval(*row as usize);
    Stretches::new(slices.iter().map(span).collect()).ns()
}

/// Returns the first `limit` groups with their statistics, most time first, in the given order if equal, and the number
/// of further groups.
fn most<T>(mut groups: Vec<T>, limit: usize, stats: impl Fn(&T) -> &ExecutionStats) -> (Vec<T>, u64) {
    groups.arrange_by_key(|group| Reverse(stats(group).total_ns));
    let more = groups.len().saturating_sub(limit) as u64;
    groups.truncate(limit);
    (groups, more)
}

/// Returns the calls that built the programs of the first executions on each queue before they were launched, by start.
fn builds(trace: &Trace, executions: &[Execution]) -> Vec<u32> {
    let first = executions.iter().filter(|one| one.is_first);
    let nodes: FxHashSet<u32> = first.filter_map(|one| some(trace.slices.node.at(one.row))).collect();
    let calls = ProgramCalls::new(trace, |node| nodes.contains(&node));
    let found = calls.launches().iter().flat_map(|(at, kernel, _)| calls.builds_of(*kernel, *at));
    let mut found: Vec<u32> = found.collect::<FxHashSet<u32>>().into_iter().collect();
    found.arrange_by_key(|row| (trace.slices.start.at(*row as usize), *row));
    found
}

/// Returns a point for each execution; with more than `most` executions, one for each non-empty combination of a part
/// of the time and a bin. The number is at most `most` or the number of bins, so that rare durations show however few
/// points are requested.
fn points(executions: &[Execution], bins: &Bins, most: usize) -> ExecutionPoints {
    let mut points: Vec<(Execution, u64)> = Vec::new();
    if executions.len() <= most {
        points.extend(executions.iter().map(|one| (*one, 1)));
    } else {
        let first = executions.iter().map(|one| one.start).min().unwrap_or_default();
        let last = executions.iter().map(|one| one.start).max().unwrap_or_default();
        let columns = (most as u64 / bins.count).max(1);
        let width = (last - first + 1).div_ceil(columns);
        let mut cells: Vec<Option<(Execution, u64)>> = vec![None; (columns * bins.count) as usize];
        for one in executions {
            let column = ((one.start - first) / width) as usize;
            let cell = &mut cells[column * bins.count as usize + bins.place(one.duration)];
            let (longest, count) = cell.get_or_insert((*one, 0));
            *count += 1;
            if one.duration > longest.duration {
                *longest = *one;
            }
        }
        points.extend(cells.into_iter().flatten());
    }
    points.arrange_by_key(|(one, _)| (one.start, one.row));
    let mut told = ExecutionPoints::default();
    for (one, count) in points {
        told.slice.push(one.row as u32);
        told.start_ns.push(one.start);
        told.duration_ns.push(one.duration);
        told.count.push(count);
    }
    told
}

/// Returns the executions of each queue, most time first, and the number of queues beyond `limit`; marks the first on
/// each. A queue is identified by its track.
fn by_queue(trace: &Trace, executions: &mut [Execution], limit: usize) -> (Vec<QueueExecutions>, u64) {
    let mut firsts: FxHashMap<u32, usize> = FxHashMap::default();
    for (place, one) in executions.iter().enumerate() {
        let first = firsts.entry(one.track).or_insert(place);
        if one.start < executions[*first].start {
            *first = place;
        }
    }
    for place in firsts.values() {
        executions[*place].is_first = true;
    }
    let mut in_order: Vec<&Execution> = executions.iter().filter(|one| one.is_first).collect();
    in_order.arrange_by_key(|one| (one.start, one.row));
    // A queue's track is a child of its device's.
    let device = |track: u32| some(trace.tracks.parent.at(track as usize)).unwrap_or(track);
    let mut seen = FxHashSet::default();
    let on_device: FxHashSet<u32> =
        in_order.iter().filter(|one| seen.insert(device(one.track))).map(|one| one.track).collect();
    let mut queues: FxHashMap<u32, Vec<&Execution>> = FxHashMap::default();
    for one in &*executions {
        queues.entry(one.track).or_default().push(one);
    }
    let told = in_order.iter().map(|first| QueueExecutions {
        first: slice_ref(trace, first.row as u32),
        is_first_on_device: on_device.contains(&first.track),
        submission_ns: first.submission.map(|slice| trace.slices.duration.at(slice)),
        stats: stats(trace, queues.remove(&first.track).unwrap_or_default()),
    });
    most(told.collect(), limit, |queue| &queue.stats)
}
