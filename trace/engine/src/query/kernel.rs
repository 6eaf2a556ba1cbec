//! One kernel: its executions by duration, over time, by queue and by launch size.

mod bins;
mod builds;
mod points;
mod queues;
pub(super) mod sizes;

use std::cmp::Reverse;

use syclscope_language::api::{ExecutionStats, KernelProfile};
use syclscope_language::event::Category;
use syclscope_language::filter::{Condition, Field, Filter, Op};
use syclscope_language::question::{KernelQuestion, Selection};

use self::bins::Bins;
use super::detail::slice_ref;
use super::matcher::kind_of;
use super::percentile::percentile;
use super::select::SelectedSlices;
use crate::id::some;
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Copy)]
struct Execution {
    row: usize,
    track: u32,
    start: u64,
    duration: u64,
    /// Slice of its submission, unless its duration is unknown.
    submission: Option<usize>,
    is_first: bool,
}

impl Trace {
    /// Returns the executions with a name. In traces without executions, the slices in categories of device work.
    /// Filters by name, and walks over the calls for builds.
    ///
    /// # Errors
    /// Returns an error if the selection names an unknown track or object.
    pub fn kernel(&self, question: &KernelQuestion) -> Result<KernelProfile, QueryError> {
        let mut executions = executions(self, question)?;
        let Some(kind) = executions.first().map(|first| kind_of(self, first.row)) else {
            return Ok(KernelProfile::default());
        };
        let limit = question.limit as usize;
        let (queues, more_queues) = queues::by_queue(self, &mut executions, limit);
        let (sizes, more_sizes) = sizes::by_size(self, &executions, limit);
        let builds = builds::builds(self, &executions);
        let (first, later): (Vec<_>, Vec<_>) = executions.iter().partition(|one| one.is_first);
        let bins = Bins::new(&executions);
        Ok(KernelProfile {
            kind,
            all: stats(self, &executions),
            first: stats(self, first),
            later: stats(self, later),
            build_ns: covered(self, &builds),
            builds: builds.iter().take(limit).map(|row| slice_ref(self, *row)).collect(),
            points: points::points(&executions, &bins, question.points as usize),
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
