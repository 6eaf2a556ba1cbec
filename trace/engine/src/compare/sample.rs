//! Sample: the data of one run for a comparison of groups, small enough to keep hundreds of them, and to store as a
//! file.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use syclscope_language::api::FigureUnit;

use super::items::Items;
use super::iteration_sample::{SampledIterations, sampled};
use super::keys::{Key, plain_keys};
use super::part::{LoopMark, RunPart, WHOLE};
use super::region_sample::{self, SampledRegion};
use super::statistics::{Launches, MAX_DURATIONS, thinned, whole_median};
use super::{comparability, figures};
use crate::cancel;
use crate::id::{StringId, some};
use crate::query::report::busy_ns;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Number of stored durations for a history, which shows medians: odd, so that the median is one of them.
const MAX_HISTORY_DURATIONS: usize = 15;
/// Maximum number of stored keys of commands for a history.
const MAX_COMMANDS: usize = 64;
/// Maximum size of the names and locations of these commands, in bytes: a file may contain very long ones, and a server
/// stores every sample.
const MAX_TEXT_BYTES: usize = 128 << 10;

/// Prefix of metrics that count the findings of a kind.
pub(super) const FINDING: &str = "finding_";

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Name of the run.
    pub name: String,
    /// Version of syclscope that read the run: it decides which findings are possible. Samples of older versions lack
    /// it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Name of the part of the run; empty for the whole run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// The part's range in nanoseconds, if it was given in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Range<u64>>,
    /// Mark of the loop whose iterations form the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<LoopMark>,
    /// Duration of the run, or of its part, in nanoseconds.
    #[serde(alias = "wall_ns")]
    pub duration_ns: u64,
    /// Busy time of devices, in nanoseconds. Samples of older versions lack it.
    #[serde(default)]
    pub busy_ns: Option<u64>,
    /// Iterations of the main loop, if the sample is of a whole run with one. Samples of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<SampledIterations>,
    /// Figures that do not depend on the machine's speed.
    pub figures: Vec<Figure>,
    /// Commands by key.
    pub commands: Vec<SampledCommand>,
    /// Regions of the program by path. Samples of older versions lack them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<SampledRegion>,
    /// Copies of one location with several directions, joined: compared with runs that lack directions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub both_ways: Vec<SampledCommand>,
    /// Resolution of the clock of the durations, in nanoseconds.
    pub clock_ns: u64,
    /// Machine, versions, settings, arguments.
    pub facts: Vec<Fact>,
    /// Stable names of the recording's problems.
    pub problems: Vec<String>,
}

/// A figure of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// Stable name.
    pub name: String,
    /// Unit of the metric.
    pub unit: FigureUnit,
    /// Value of the metric.
    pub value: u64,
}

/// A fact about a run's environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fact {
    /// Subject of the fact.
    pub about: String,
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

/// The commands of one key in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampledCommand {
    /// Key of the commands.
    pub key: Key,
    /// Number of commands.
    pub count: u64,
    /// Total device time, in nanoseconds.
    pub total_ns: u64,
    /// Device time of the first execution on each queue, in nanoseconds, if any ran.
    pub first_ns: Option<u64>,
    /// Number of executions without the first ones.
    pub later: u64,
    /// Durations of the later executions in nanoseconds, shortest first; quantiles if there are many. For a command
    /// with first executions only, their durations.
    pub durations_ns: Vec<u64>,
}

impl Sample {
    /// Summarises a run. Walks over every slice a few times.
    pub fn new(name: &str, trace: &Trace) -> Self {
        Self::with_part(name, trace, None)
    }

    /// Summarises a run, or a part of it. A part lacks the figures of whole runs, such as leaks.
    pub fn with_part(name: &str, trace: &Trace, part: Option<&RunPart>) -> Self {
        let range = part.map_or(WHOLE, |part| part.range.clone());
        Self::of_items(name, trace, &Items::new(trace, range), part)
    }

    pub(super) fn of_items(name: &str, trace: &Trace, items: &Items, part: Option<&RunPart>) -> Self {
        // Each of the following steps walks over all of this.
        let walk = || cancel::spend(items.len() + trace.slices.len() + trace.nodes.len());
        let (busy_ns, _) = (busy_ns(trace, &items.range), walk());
        let (figures, _) = (figures::figures(trace, items), walk());
        let (commands, _) = (commands(trace, items, &items.keys, Some), walk());
        let (both_ways, _) = (both_ways(trace, items), walk());
        let (clock_ns, _) = (clock_step(trace), walk());
        let regions = region_sample::sampled(trace, &items.range);
        let (iterations, _) = (part.is_none().then(|| sampled(trace)).flatten(), walk());
        Self {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            part: part.map_or_else(String::new, |part| part.name.clone()),
            window: part.filter(|part| part.is_window).map(|part| part.range.clone()),
            mark: part.and_then(|part| part.mark.clone()),
            duration_ns: duration_ns(trace, &items.range),
            iterations,
            busy_ns: Some(busy_ns),
            figures,
            commands,
            regions,
            both_ways,
            clock_ns,
            facts: comparability::facts(trace, &items.range),
            problems: comparability::problems(trace, items),
        }
    }

    /// Reduces the sample to the needs of [`series_of`](super::series_of): the commands with most device time, few
    /// durations of each, and no facts of the machine.
    pub fn for_history(mut self) -> Self {
        for commands in [&mut self.commands, &mut self.both_ways] {
            commands.arrange_by_key(|command| std::cmp::Reverse(command.total_ns));
            commands.truncate(MAX_COMMANDS);
            let mut room = MAX_TEXT_BYTES;
            commands.retain(|command| {
                let left = room.checked_sub(command.key.text_bytes());
                room = left.unwrap_or(room);
                left.is_some()
            });
            for command in commands {
                if command.durations_ns.len() > MAX_HISTORY_DURATIONS {
                    let middle = whole_median(command.durations_ns.iter().copied());
                    command.durations_ns = thinned(&command.durations_ns, MAX_HISTORY_DURATIONS);
                    // The exact median, so that it equals the one in a history of recordings.
                    command.durations_ns[MAX_HISTORY_DURATIONS / 2] = middle.unwrap_or_default();
                }
            }
        }
        Self { facts: Vec::new(), iterations: None, regions: Vec::new(), ..self }
    }

    /// True if this is a part with the same length in every run, whatever the program does.
    pub fn has_fixed_length(&self) -> bool {
        self.window.as_ref().is_some_and(|window| window.end < u64::MAX)
    }

    /// Returns a figure by its name.
    pub fn figure(&self, name: &str) -> Option<u64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    /// Returns the number of findings of all kinds.
    pub fn findings(&self) -> u64 {
        let of_kind = self.figures.iter().filter(|figure| figure.name.starts_with(FINDING));
        of_kind.map(|figure| figure.value).sum()
    }
}

impl SampledCommand {
    /// True if there are no launches but the first one on each queue.
    pub(super) fn is_once(&self) -> bool {
        // A command has at most one execution: if `later` counts all of them, the durations are those of the first
        // ones.
        self.first_ns.is_some() && self.later >= self.count
    }

    /// Returns the first launch on each queue, together, if there are others.
    pub(super) fn first(&self) -> Launches {
        if self.is_once() { Launches::default() } else { self.first_ones() }
    }

    /// Returns the first launch on each queue, together.
    pub(super) fn first_ones(&self) -> Launches {
        let durations_ns: Vec<f64> = self.first_ns.iter().map(|ns| *ns as f64).collect();
        Launches { count: durations_ns.len() as u64, durations_ns }
    }

    /// Returns the launches to compare: the first ones if there are no others.
    pub(super) fn launches(&self) -> Launches {
        Launches { durations_ns: self.durations_ns.iter().map(|ns| *ns as f64).collect(), count: self.later }
    }
}

pub(super) fn duration_ns(trace: &Trace, range: &Range<u64>) -> u64 {
    range.end.min(trace.duration_ns).saturating_sub(range.start)
}

/// Returns the index of the shown run: the one with the median time, of an even number the shorter of the two in the
/// middle; 0 if there is none.
pub fn median_run(runs: &[Sample]) -> usize {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.arrange_by_key(|run| runs[*run].duration_ns);
    order.get(runs.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Returns the names of all figures in some runs, in display order.
pub(super) fn figure_names<'s>(runs: impl Iterator<Item = &'s Sample>) -> Vec<(&'s str, FigureUnit)> {
    let mut known = FxHashSet::default();
    let figures = runs.flat_map(|run| &run.figures).map(|figure| (figure.name.as_str(), figure.unit));
    figures.filter(|(name, _)| known.insert(*name)).collect()
}

pub(super) fn by_key(run: &Sample) -> FxHashMap<&Key, &SampledCommand> {
    run.commands.iter().map(|command| (&command.key, command)).collect()
}

/// Returns the copies whose keys differ only in their direction, by the rest of the key.
fn both_ways(trace: &Trace, items: &Items) -> Vec<SampledCommand> {
    let (plain, of_key) = plain_keys(&items.keys);
    let mut ways = vec![0_u32; plain.len()];
    of_key.iter().for_each(|key| ways[*key as usize] += 1);
    let mut keys: Vec<Key> = Vec::new();
    let numbers: Vec<Option<u32>> = plain
        .into_iter()
        .zip(ways)
        .map(|(key, ways)| {
            let number = keys.len() as u32;
            (ways > 1).then(|| keys.push(key)).map(|()| number)
        })
        .collect();
    if keys.is_empty() {
        return Vec::new();
    }
    commands(trace, items, &keys, |key| numbers[of_key[key as usize] as usize])
}

/// Collects the launches of some keys' commands. `number` returns the index in `keys` of an item's key, if any.
fn commands(
    trace: &Trace,
    items: &Items,
    keys: &[Key],
    number: impl Fn(u32) -> Option<u32>,
) -> Vec<SampledCommand> {
    let mut commands: Vec<SampledCommand> =
        keys.iter().map(|key| SampledCommand { key: key.clone(), ..SampledCommand::default() }).collect();
    // The first execution of each key on each track: start, duration.
    let mut first: FxHashMap<(u32, usize), (u64, u64)> = FxHashMap::default();
    let mut durations: Vec<Vec<u64>> = vec![Vec::new(); commands.len()];
    let was_launched = LaunchedBefore::new(trace, items);
    for (item, key) in items.key.iter().enumerate() {
        let Some(key) = number(*key) else { continue };
        let command = &mut commands[key as usize];
        command.count += 1;
        let Some(slice) = some(items.slice[item]).map(|slice| slice as usize) else { continue };
        let (start, duration) = (trace.slices.start.at(slice), trace.slices.duration.at(slice));
        command.total_ns = command.total_ns.saturating_add(duration);
        let track = trace.tracks.of_lane(trace.slices.lane_of(slice));
        match first.get_mut(&(key, track)) {
            None if was_launched.has(track, trace.slices.name.at(slice)) => {
                durations[key as usize].push(duration)
            }
            None => drop(first.insert((key, track), (start, duration))),
            Some(known) if start < known.0 => {
                let earlier = std::mem::replace(known, (start, duration));
                durations[key as usize].push(earlier.1);
            }
            Some(_) => durations[key as usize].push(duration),
        }
    }
    for ((key, _), (_, duration)) in first {
        let command = &mut commands[key as usize];
        command.first_ns = Some(command.first_ns.unwrap_or_default().saturating_add(duration));
        // A kernel that ran once has only this duration.
        if durations[key as usize].is_empty() {
            command.durations_ns.push(duration);
        }
    }
    for (command, mut durations) in commands.iter_mut().zip(durations) {
        if durations.is_empty() {
            command.later = command.durations_ns.len() as u64;
            command.durations_ns.sort_unstable();
            continue;
        }
        command.later = durations.len() as u64;
        durations.sort_unstable();
        command.durations_ns = thinned(&durations, MAX_DURATIONS);
    }
    commands
}

/// Commands that were launched before a part of the run: their launches in it are not first ones.
struct LaunchedBefore(FxHashSet<(usize, StringId)>);

impl LaunchedBefore {
    fn new(trace: &Trace, items: &Items) -> Self {
        let rows = if items.range.start > 0 { 0..trace.executions.len() } else { 0..0 };
        let before = rows.filter(|row| trace.slices.start.at(*row) < items.range.start);
        let track = |row: usize| trace.tracks.of_lane(trace.slices.lane_of(row));
        Self(before.map(|row| (track(row), trace.slices.name.at(row))).collect())
    }

    fn has(&self, track: usize, name: StringId) -> bool {
        self.0.contains(&(track, name))
    }
}

fn clock_step(trace: &Trace) -> u64 {
    step_of((0..trace.executions.len()).map(|row| trace.slices.duration.at(row)))
}

/// Minimum number of clock steps in the shortest duration for steps to be detected.
const MIN_STEPS: u64 = 8;
/// Number of different durations that show a step, however short the shortest one is: with short durations, the step
/// matters most.
const DIFFERENT: usize = 16;

/// Returns the greatest common divisor of all durations; 1 if they are too few or too similar to show a clock's step: a
/// single duration is a multiple of itself.
fn step_of(durations: impl Iterator<Item = u64>) -> u64 {
    let (mut step, mut least) = (0_u64, u64::MAX);
    let mut different: Vec<u64> = Vec::new();
    for duration in durations.filter(|duration| *duration > 0) {
        least = least.min(duration);
        if different.len() < DIFFERENT && !different.contains(&duration) {
            different.push(duration);
        }
        let (mut rest, mut other) = (duration, step);
        while other > 0 {
            (rest, other) = (other, rest % other);
        }
        step = rest;
        if step == 1 {
            break;
        }
    }
    let is_shown = different.len() >= DIFFERENT || step <= least / MIN_STEPS;
    if is_shown { step.max(1) } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_that_are_alike_are_no_steps_of_a_clock() {
        assert_eq!(step_of([1_000_000].into_iter()), 1);
        assert_eq!(step_of([1_800_000; 5].into_iter()), 1);
        assert_eq!(step_of([32_000, 48_000].into_iter()), 1, "two steps and three");
        assert_eq!(step_of([9_600, 16_080, 0, 24_000].into_iter()), 240);
        assert_eq!(step_of([7, 11].into_iter()), 1);
        assert_eq!(step_of([1_000, 2_000, 3_000].repeat(50).into_iter()), 1);
        assert_eq!(step_of((1..=16).map(|steps| steps * 1_000)), 1_000, "many multiples of the shortest one");
        assert_eq!(step_of(std::iter::empty()), 1);
    }
}
