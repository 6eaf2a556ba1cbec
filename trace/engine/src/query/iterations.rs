//! Iterations of a run's main loop, their durations, and the critical path within them.

mod marks;
pub(super) mod message;
pub(super) mod steps;

use std::ops::Range;

use syclscope_language::api::{Iteration, IterationMarkKind, IterationStats, Iterations};
use syclscope_language::event::Category;
use syclscope_language::question::IterationsQuestion;

use self::marks::{Exact, Loop};
use self::steps::Steps;
use super::percentile::percentile;
use crate::query::{QueryError, builds};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Maximum number of listed steps of the critical path.
const MAX_STEPS: usize = 50;
/// Maximum number of listed loops besides the selected one.
const MAX_LOOPS: usize = 20;
/// Minimum number of steady iterations of a main loop.
const MIN_STEADY: usize = 5;
/// An iteration is part of the warm-up if it is longer than the median of the second half by this factor.
const LONGER: f64 = 1.5;

#[derive(Default)]
pub(crate) struct SteadyIterations {
    /// Number of the first iteration, counted from 1.
    pub(crate) first: u64,
    /// Start and end of each iteration.
    pub(crate) intervals: Vec<(u64, u64)>,
    /// Time in which the host started their commands.
    pub(crate) submitted: Range<u64>,
    pub(crate) busy_ns: u64,
}

impl SteadyIterations {
    pub(crate) fn count(&self) -> u64 {
        self.intervals.len() as u64
    }

    pub(crate) fn total_ns(&self) -> u64 {
        self.intervals.iter().map(|(from, to)| to - from).sum()
    }

    pub(crate) fn mean_ns(&self) -> u64 {
        let count = self.count().max(1);
        (self.total_ns() + count / 2) / count
    }

    /// Returns the time from the start of the first iteration to the end of the last.
    pub(crate) fn range(&self) -> Range<u64> {
        let (first, last) = (self.intervals.first(), self.intervals.last());
        first.zip(last).map_or(0..0, |(first, last)| first.0..last.1)
    }
}

/// Times of a loop with enough steady iterations.
pub(crate) struct LoopTimes {
    pub(crate) kind: IterationMarkKind,
    pub(crate) name: String,
    pub(crate) count: u64,
    /// Time before the first iteration.
    pub(crate) start_up_ns: u64,
    /// Number and time of the warm-up's iterations.
    pub(crate) warm_up: u64,
    pub(crate) warm_up_ns: u64,
    pub(crate) steady_ns: Vec<u64>,
}

impl Trace {
    fn main_loop(&self) -> Option<(Loop, Vec<Iteration>)> {
        let main = marks::loops(self, &IterationsQuestion::default(), Exact::FromTwo).into_iter().next()?;
        let iterations = rows(self, &main.rounds);
        Some((main, iterations))
    }

    /// Returns the times of the main loop; `None` if it has too few steady iterations. Walks over every command.
    pub(crate) fn loop_times(&self) -> Option<LoopTimes> {
        let (main, all) = self.main_loop()?;
        let (warm_up, steady) = steady(&main, &all);
        let mark = main.mark(self);
        (steady.len() >= MIN_STEADY).then(|| LoopTimes {
            kind: mark.kind,
            name: mark.name,
            count: all.len() as u64,
            start_up_ns: all.first().map_or(0, |row| row.from_ns),
            warm_up: warm_up as u64,
            warm_up_ns: all[..warm_up].iter().map(duration).sum(),
            steady_ns: steady.iter().map(duration).collect(),
        })
    }

    /// Returns the steady iterations of the main loop, if it takes most of the run apart from start-up and builds;
    /// `None` if there is no such loop.
    pub(crate) fn steady_iterations(&self) -> Option<SteadyIterations> {
        let (main, all) = self.main_loop()?;
        let (warm_up, steady) = steady(&main, &all);
        let from_ns = main.submitted.get(warm_up)?;
        // The end of a region, and of the last iteration, also bounds the host's work.
        let next =
            main.submitted.get(warm_up + steady.len()).filter(|_| main.kind == IterationMarkKind::Command);
        let to_ns = next.copied().or_else(|| steady.last().map(|row| row.to_ns))?;
        let iterations = SteadyIterations {
            first: warm_up as u64 + 1,
            intervals: steady.iter().map(|row| (row.from_ns, row.to_ns)).collect(),
            submitted: *from_ns..to_ns.max(*from_ns),
            busy_ns: steady.iter().map(|row| row.device_ns + row.copy_ns).sum(),
        };
        let rest_ns = self.command_ns(iterations.range().start)?;
        (steady.len() >= MIN_STEADY && iterations.total_ns() >= rest_ns / 2).then_some(iterations)
    }

    /// Returns the start of the first command and the end of the last; `None` without commands.
    fn command_span(&self) -> Option<(u64, u64)> {
        let start_ns = self.device_work().map(|row| self.slices.start.at(row)).min()?;
        let end_ns = self.device_work().map(|row| self.slices.end(row)).max()?;
        Some((start_ns, end_ns))
    }

    /// Returns the time from the first command to the end of the last, except builds before a moment; `None` without
    /// commands.
    fn command_ns(&self, builds_until: u64) -> Option<u64> {
        let (start_ns, end_ns) = self.command_span()?;
        let built_ns = build_times(self).ns_within(start_ns, builds_until);
        Some(end_ns.saturating_sub(start_ns).saturating_sub(built_ns))
    }

    /// Returns the time of a loop's iterations and that of the commands, if the iterations are its smaller part. The
    /// warm-up belongs to the loop. What ran in a pause of the recording is unknown, so pauses count for neither.
    fn small_part(&self, rows: &[Iteration]) -> Option<(u64, u64)> {
        let (start_ns, end_ns) = self.command_span()?;
        let pauses = self.machine.pauses.iter().map(|pause| (pause.start, pause.end.unwrap_or(u64::MAX)));
        let paused_ns = Stretches::new(pauses.collect()).ns_within(start_ns, end_ns);
        let all_ns = self.command_ns(rows.first()?.from_ns)?.saturating_sub(paused_ns);
        let ns: u64 = rows.iter().map(duration).sum();
        (ns < all_ns / 2).then_some((ns, all_ns))
    }

    /// Returns the iterations of the main loop, or of the loop that a region or a command marks. Walks over every
    /// command and the critical path.
    ///
    /// # Errors
    /// Returns an error if no region or command has the name.
    pub fn iterations(&self, question: &IterationsQuestion) -> Result<Iterations, QueryError> {
        self.iterations_of(question, Exact::FromTwo)
    }

    /// Returns the occurrences of a region as numbered iterations; an exact name has precedence over names that differ
    /// in numbers.
    pub(super) fn regions_of(&self, name: &str) -> Result<Iterations, QueryError> {
        let region = Some(name.to_owned());
        let question = IterationsQuestion { region, limit: u32::MAX, ..IterationsQuestion::default() };
        self.iterations_of(&question, Exact::FromOne)
    }

    fn iterations_of(&self, question: &IterationsQuestion, exact: Exact) -> Result<Iterations, QueryError> {
        let mut loops = marks::loops(self, question, exact).into_iter();
        let Some(main) = loops.next() else {
            if let Some(name) = &question.region {
                return Err(QueryError::NoRegion(name.clone()));
            }
            question.command.as_deref().map_or(Ok(()), |name| self.check_command_name(name))?;
            return Ok(Iterations { message: message::none(), ..Iterations::default() });
        };
        let all = rows(self, &main.rounds);
        let (warm_up, steady) = steady(&main, &all);
        let counted = match is_of_part(question) {
            true => within(question, &all[..all.len() - usize::from(has_open_end(&main, all.len()))]),
            false => steady.to_vec(),
        };
        let stats = stats(&counted);
        let slowest = counted.iter().find(|row| row.number == stats.slowest);
        let mut steps = Steps::new(self);
        for row in &counted {
            steps.add(row.from_ns..row.to_ns, Some(row.number) == slowest.map(|row| row.number));
        }
        let steps = steps.into_list();
        let (offset, limit) = (question.offset as usize, question.limit as usize);
        let in_range = within(question, &all);
        let listed: Vec<Iteration> = in_range.iter().skip(offset).take(limit).copied().collect();
        let mut iterations = Iterations {
            mark: Some(main.mark(self)),
            others: loops.filter(Loop::is_offered).take(MAX_LOOPS).map(|other| other.mark(self)).collect(),
            count: all.len() as u64,
            from_ns: all.first().map_or(0, |row| row.from_ns),
            to_ns: all.last().map_or(0, |row| row.to_ns),
            warm_up: warm_up as u64,
            steady: stats,
            steps,
            more_steps_ns: 0,
            message: String::new(),
            more: (in_range.len().saturating_sub(offset) - listed.len()) as u64,
            iterations: listed,
        };
        // The largest step of the slowest iteration may be short in all others.
        iterations.message = message::describe(&iterations, counted.first().map(|row| row.number));
        let is_chosen = question.region.is_none() && question.command.is_none() && !is_of_part(question);
        let small = is_chosen.then(|| self.small_part(&all)).flatten();
        if let Some((ns, all_ns)) = small {
            iterations.message = format!("{}. {}", message::small_part(ns, all_ns), iterations.message);
        }
        let rest = iterations.steps.split_off(iterations.steps.len().min(MAX_STEPS));
        iterations.more_steps_ns = rest.iter().map(|step| step.total_ns).sum();
        Ok(iterations)
    }
}

fn build_times(trace: &Trace) -> Stretches {
    Stretches::new(builds(trace).map(|row| trace.slices.interval(row)).collect())
}

fn rows(trace: &Trace, intervals: &[(u64, u64)]) -> Vec<Iteration> {
    let (mut device, mut copy) = (Vec::new(), Vec::new());
    let mut starts: Vec<u64> = Vec::new();
    for row in trace.device_work() {
        let (start, end) = trace.slices.interval(row);
        starts.push(start);
        let is_copy = trace.slices.category(row) == Category::Copy;
        if is_copy { &mut copy } else { &mut device }.push((start, end));
    }
    starts.sort_unstable();
    let device = Stretches::new(device);
    let copy = Stretches::new(copy).without(&device);
    let waits: Vec<_> = trace.blocking().of_program().map(|block| (block.begin, block.end)).collect();
    let waits = Stretches::new(waits).without(&device).without(&copy);
    let built = build_times(trace);
    let row = |(number, (from, to)): (usize, &(u64, u64))| {
        let [device_ns, copy_ns, wait_ns, build_ns] =
            [&device, &copy, &waits, &built].map(|stretches| stretches.ns_within(*from, *to));
        let started = |at: u64| starts.partition_point(|start| *start < at);
        Iteration {
            number: number as u64 + 1,
            from_ns: *from,
            to_ns: *to,
            device_ns,
            copy_ns,
            wait_ns,
            host_ns: to - from - device_ns - copy_ns - wait_ns,
            build_ns,
            commands: (started(*to) - started(*from)) as u64,
        }
    };
    intervals.iter().enumerate().map(row).collect()
}

fn is_of_part(question: &IterationsQuestion) -> bool {
    question.from_ns.is_some() || question.to_ns.is_some()
}

/// Returns the iterations that lie within the range of a query as a whole.
fn within(question: &IterationsQuestion, rows: &[Iteration]) -> Vec<Iteration> {
    let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(u64::MAX);
    let is_within = |row: &&Iteration| range.start <= row.from_ns && row.to_ns <= range.end;
    rows.iter().filter(is_within).copied().collect()
}

fn steady<'r>(main: &Loop, rows: &'r [Iteration]) -> (usize, &'r [Iteration]) {
    let warm_up = warm_up(rows, has_open_end(main, rows.len()));
    (warm_up, &rows[warm_up..rows.len() - usize::from(has_open_end(main, rows.len() - warm_up))])
}

/// True if the last iteration is ignored: without a next one its end is unknown.
fn has_open_end(main: &Loop, count: usize) -> bool {
    main.kind == IterationMarkKind::Command && count > 1
}

fn duration(row: &Iteration) -> u64 {
    row.to_ns - row.from_ns
}

/// Returns the number of first iterations that took longer than the later ones, or built device code; at most half of
/// all iterations. The last one is not compared if its end is open, because it ends too early.
fn warm_up(rows: &[Iteration], has_open_end: bool) -> usize {
    let complete = &rows[..rows.len() - usize::from(has_open_end)];
    let half = (rows.len() / 2).min(complete.len().saturating_sub(1));
    let mut later: Vec<u64> = complete[half..].iter().map(duration).collect();
    later.sort_unstable();
    let usual = percentile(&later, 50) as f64;
    let is_slow = |row: &&Iteration| row.build_ns > 0 || duration(row) as f64 > usual * LONGER;
    rows[..rows.len() / 2].iter().take_while(is_slow).count()
}

fn stats(rows: &[Iteration]) -> IterationStats {
    let mut durations: Vec<u64> = rows.iter().map(duration).collect();
    durations.sort_unstable();
    let count = durations.len();
    let mean = durations.iter().map(|ns| *ns as f64).sum::<f64>() / count.max(1) as f64;
    let squares = durations.iter().map(|ns| (*ns as f64 - mean).powi(2)).sum::<f64>();
    let slowest = rows.iter().max_by_key(|row| (duration(row), std::cmp::Reverse(row.number)));
    IterationStats {
        count: count as u64,
        mean_ns: mean,
        deviation_ns: if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 },
        min_ns: durations.first().copied().unwrap_or(0),
        p50_ns: percentile(&durations, 50),
        p95_ns: percentile(&durations, 95),
        max_ns: durations.last().copied().unwrap_or(0),
        slowest: slowest.map_or(0, |row| row.number),
    }
}
