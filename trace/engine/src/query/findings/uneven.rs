//! Iterations that take much longer than the others.

use syclscope_language::api::IterationStep;

use super::run::{Command, Draft, Run};
use super::words::time;
use crate::id::{LocationId, NONE, some};
use crate::query::iterations::SteadyIterations;
use crate::query::iterations::message::step_words;
use crate::query::percentile::percentile;
use syclscope_language::sorting::Sorting as _;

/// An iteration is slow if it takes more than 3/2 of the median.
const SLOW: (u64, u64) = (3, 2);
/// Fewer may be chance.
const MIN_SLOW_ITERATIONS: usize = 2;
/// Minimum share of the time beyond the median in the iterations' time for a finding: 1 / this.
const PART: u64 = 10;
/// Maximum number of steps in the message.
const MAX_NAMED_STEPS: usize = 2;

pub(super) struct Slow {
    median_ns: u64,
    /// Number, start and end.
    slow: Vec<(u64, (u64, u64))>,
}

impl Slow {
    pub(super) fn new(steady: &SteadyIterations) -> Self {
        let mut durations: Vec<u64> = steady.intervals.iter().map(duration).collect();
        durations.sort_unstable();
        let median_ns = percentile(&durations, 50);
        let rounds = (steady.first..).zip(steady.intervals.iter().copied());
        let slow = rounds.filter(|(_, round)| duration(round) * SLOW.1 > median_ns * SLOW.0);
        Self { median_ns, slow: slow.collect() }
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.slow.binary_search_by_key(&number, |(number, _)| *number).is_ok()
    }
}

fn duration(round: &(u64, u64)) -> u64 {
    round.1 - round.0
}

/// Returns the slow iterations, with the steps of the critical path that are longer in them.
pub(super) fn finding(
    run: &Run<'_>,
    steady: &SteadyIterations,
    Slow { median_ns, slow }: &Slow,
    steps: &[IterationStep],
) -> Option<Draft> {
    let touches_ns: u64 = slow.iter().map(|(_, round)| duration(round) - median_ns).sum();
    let usual_count = steady.intervals.len() - slow.len();
    if slow.len() < MIN_SLOW_ITERATIONS || usual_count == 0 || touches_ns < steady.total_ns() / PART {
        return None;
    }
    let more_ns = |step: &IterationStep| {
        let usual_ns = step.total_ns.saturating_sub(step.slowest_ns) / usual_count as u64;
        (step.slowest_ns / slow.len() as u64).saturating_sub(usual_ns)
    };
    let mut steps: Vec<&IterationStep> = steps.iter().collect();
    steps.arrange_by_cached_key(|step| (std::cmp::Reverse(more_ns(step)), step.name.clone()));
    let named = steps.iter().filter(|step| more_ns(step) > 0).take(MAX_NAMED_STEPS);
    let named: Vec<String> = named
        .map(|step| format!("{} more of {}", time(more_ns(step)), step_words(step.kind, &step.name)))
        .collect();
    let (number, longest) =
        slow.iter().max_by_key(|(number, round)| (duration(round), std::cmp::Reverse(*number)))?;
    // The host may submit the commands of an iteration long before it.
    let has = |at: u64| (longest.0..longest.1).contains(&at);
    let ran = run.commands().iter().filter(|command| command.execution.is_some_and(|ran| has(ran.start)));
    let first = ran
        .min_by_key(|command| command.execution.map(|ran| ran.start))
        .or_else(|| run.commands().iter().find(|command| has(command.begun) && command.submission != NONE));
    let slice = |command: &Command| command.execution.map_or(command.submission, |ran| ran.slice);
    Some(Draft {
        kind: "uneven_iterations",
        message: format!(
            "{} of iterations {} to {} take more than 1.5 times the median of {}, {} longer on average. On their \
             critical path they have {}. The slowest is {number}: {}.",
            slow.len(),
            steady.first,
            steady.first + steady.count() - 1,
            time(*median_ns),
            time(touches_ns / slow.len() as u64),
            named.join(" and "),
            time(duration(longest))
        ),
        remedy: String::new(),
        evidence: vec![format!(
            "If all took the median, they would be {} shorter together.",
            time(touches_ns)
        )],
        process: first.map_or(0, |command| command.process),
        location: LocationId(0),
        slices: first.and_then(|command| some(slice(command))).into_iter().collect(),
        nodes: Vec::new(),
        count: slow.len() as u64,
        touches_ns,
        change: Err("The affected time is the time beyond the median."),
        bytes: 0,
        how: "",
        filter: "category:kernel".to_owned(),
    })
}
