//! What one run contributes to a comparison of groups: small enough to be kept of hundreds of runs, and as a file.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use syclscope_language::api::FigureUnit;

use super::items::Items;
use super::keys::Key;
use super::statistics::{Launches, thinned};
use super::{comparability, figures};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Durations that are kept of the launches of a kernel; of more, so many quantiles.
const MOST_KEPT: usize = 256;

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// What it is called.
    pub name: String,
    /// How long it took, in nanoseconds.
    pub wall_ns: u64,
    /// Figures that do not depend on the machine's speed.
    pub figures: Vec<Figure>,
    /// Commands by key.
    pub commands: Vec<SampledCommand>,
    /// The least step of the clock that durations are measured by, in nanoseconds.
    pub clock_ns: u64,
    /// Machine, versions, settings, arguments.
    pub facts: Vec<Fact>,
    /// Stable names of what is wrong with the recording.
    pub problems: Vec<String>,
}

/// A figure of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// Stable name.
    pub name: String,
    /// What it counts.
    pub unit: FigureUnit,
    /// How much.
    pub value: u64,
}

/// Something around a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about.
    pub about: String,
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

/// The commands of one key in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampledCommand {
    /// The key.
    pub key: Key,
    /// Commands.
    pub count: u64,
    /// Device time of all, in nanoseconds.
    pub total_ns: u64,
    /// Device time of the first execution on each queue, in nanoseconds, if any ran.
    pub first_ns: Option<u64>,
    /// Executions but for these.
    pub later: u64,
    /// Durations of those in nanoseconds, shortest first; where there are many, quantiles. Of a command that only has first
    /// executions, these: then nothing is apart.
    pub durations_ns: Vec<u64>,
}

impl Sample {
    /// What a run contributes. The cost is that of a few walks over every slice.
    pub fn new(name: &str, trace: &Trace) -> Self {
        Self::of_items(name, trace, &Items::new(trace))
    }

    pub(super) fn of_items(name: &str, trace: &Trace, items: &Items) -> Self {
        Self {
            name: name.to_owned(),
            wall_ns: trace.duration_ns,
            figures: figures::figures(trace, items),
            commands: commands(trace, items),
            clock_ns: clock_step(trace),
            facts: comparability::facts(trace),
            problems: comparability::problems(trace, items),
        }
    }

    /// A figure by its name.
    pub fn figure(&self, name: &str) -> Option<u64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}

impl SampledCommand {
    /// The first launch on each queue, together, where there are others.
    pub(super) fn first(&self) -> Launches {
        // Each command has at most one execution: where all of them are counted as later ones, these are the first ones.
        let first = self.first_ns.filter(|_| self.later < self.count);
        let durations_ns: Vec<f64> = first.iter().map(|ns| *ns as f64).collect();
        Launches { count: durations_ns.len() as u64, durations_ns }
    }

    /// The launches that are compared: the first ones, where there are no others.
    pub(super) fn launches(&self) -> Launches {
        Launches { durations_ns: self.durations_ns.iter().map(|ns| *ns as f64).collect(), count: self.later }
    }
}

/// The run that is shown of several: the one with the median time, of an even number the shorter one in the middle; 0 of none.
pub fn median_run(runs: &[Sample]) -> usize {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|run| runs[*run].wall_ns);
    order.get(runs.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// The figures that any of some runs has, in the order in which they are shown.
pub(super) fn figure_names<'s>(runs: impl Iterator<Item = &'s Sample>) -> Vec<(&'s str, FigureUnit)> {
    let mut known = FxHashSet::default();
    let figures = runs.flat_map(|run| &run.figures).map(|figure| (figure.name.as_str(), figure.unit));
    figures.filter(|(name, _)| known.insert(*name)).collect()
}

/// The commands of a run by key.
pub(super) fn by_key(run: &Sample) -> FxHashMap<&Key, &SampledCommand> {
    run.commands.iter().map(|command| (&command.key, command)).collect()
}

fn commands(trace: &Trace, items: &Items) -> Vec<SampledCommand> {
    let mut commands: Vec<SampledCommand> = items
        .keys
        .iter()
        .map(|key| SampledCommand { key: key.clone(), ..SampledCommand::default() })
        .collect();
    // The first execution of each key on each track: start, duration.
    let mut first: FxHashMap<(u32, usize), (u64, u64)> = FxHashMap::default();
    let mut durations: Vec<Vec<u64>> = vec![Vec::new(); commands.len()];
    for (item, key) in items.key.iter().enumerate() {
        let command = &mut commands[*key as usize];
        command.count += 1;
        let Some(slice) = some(items.slice[item]).map(|slice| slice as usize) else { continue };
        let (start, duration) = (trace.slices.start.at(slice), trace.slices.duration.at(slice));
        command.total_ns = command.total_ns.saturating_add(duration);
        let track = trace.tracks.of_lane(trace.slices.lane_of(slice));
        match first.get_mut(&(*key, track)) {
            None => drop(first.insert((*key, track), (start, duration))),
            Some(known) if start < known.0 => {
                let earlier = std::mem::replace(known, (start, duration));
                durations[*key as usize].push(earlier.1);
            }
            Some(_) => durations[*key as usize].push(duration),
        }
    }
    for ((key, _), (_, duration)) in first {
        let command = &mut commands[key as usize];
        command.first_ns = Some(command.first_ns.unwrap_or_default().saturating_add(duration));
        // A kernel that ran once only has nothing but this.
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
        command.durations_ns = thinned(&durations, MOST_KEPT);
    }
    commands
}

/// What the device's clock counts in.
fn clock_step(trace: &Trace) -> u64 {
    step_of((0..trace.executions.len()).map(|row| trace.slices.duration.at(row)))
}

/// The shortest duration is at least so many steps, or they are not seen as steps.
const LEAST_STEPS: u64 = 8;

/// The largest time of which all durations are multiples; 1 where they are so few or so alike that it says nothing of a
/// clock: a single duration is a multiple of itself.
fn step_of(durations: impl Iterator<Item = u64>) -> u64 {
    let (mut step, mut least) = (0_u64, u64::MAX);
    for duration in durations.filter(|duration| *duration > 0) {
        least = least.min(duration);
        let (mut rest, mut other) = (duration, step);
        while other > 0 {
            (rest, other) = (other, rest % other);
        }
        step = rest;
        if step == 1 {
            break;
        }
    }
    if step > least / LEAST_STEPS { 1 } else { step.max(1) }
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
        assert_eq!(step_of(std::iter::empty()), 1);
    }
}
