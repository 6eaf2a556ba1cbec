//! Many runs one after the other: how each figure and time went, and where it went on differently.

use std::collections::BTreeMap;

use syclscope_language::api::{History, HistoryStep, Series, SeriesUnit};
use syclscope_language::event::NodeKind;

use super::sample::{Sample, SampledCommand, figure_names};
use super::statistics::{change_points, cut, first_step_p, median, weighted_median};

/// Series of kernels: those with most device time.
const MOST_KERNELS: usize = 20;
/// A step of a time that is smaller than this part is none: nobody would notice it.
const LEAST_STEP: f64 = super::statistics::LEAST_CHANGE;
/// Of the series that have steps, so many have them by chance, on average.
const LARGEST_PART: f64 = 0.05;

/// The series of some runs, in the order in which they are given, with their steps. The cost is that of sorting each
/// series some thousand times.
pub fn history(runs: &[Sample]) -> History {
    let wall = runs.iter().map(|run| Some(run.wall_ns)).collect();
    let mut series = vec![plain("wall", SeriesUnit::Nanoseconds, wall)];
    for (name, unit) in figure_names(runs.iter()) {
        let values = runs.iter().map(|run| Some(run.figure(name).unwrap_or_default())).collect();
        series.push(plain(name, unit.into(), values));
    }
    let mut kernels: BTreeMap<&str, u64> = BTreeMap::new();
    for command in
        runs.iter().flat_map(|run| &run.commands).filter(|command| command.key.kind == NodeKind::Kernel)
    {
        *kernels.entry(&command.key.name).or_default() += command.total_ns;
    }
    let mut kernels: Vec<(&str, u64)> = kernels.into_iter().collect();
    kernels.sort_by_key(|(name, total_ns)| (std::cmp::Reverse(*total_ns), *name));
    for (name, _) in kernels.into_iter().take(MOST_KERNELS) {
        let values = runs.iter().map(|run| median_ns(run, name)).collect();
        series.push(plain(name, SeriesUnit::Nanoseconds, values));
    }
    find_steps(&mut series);
    History { runs: runs.iter().map(|run| run.name.clone()).collect(), series }
}

/// Fills in the steps of some series that are looked at together: of those that have any, no more than one in twenty has them by
/// chance on average.
pub fn find_steps(series: &mut [Series]) {
    let known: Vec<Vec<(usize, f64)>> = series.iter().map(known).collect();
    let numbers: Vec<Vec<f64>> =
        known.iter().map(|known| known.iter().map(|(_, number)| *number).collect()).collect();
    // A series that never changes has no step, and needs no test.
    let varies = |numbers: &&Vec<f64>| numbers.windows(2).any(|pair| pair[0] != pair[1]);
    let p: Vec<f64> = numbers.iter().filter(varies).map(|numbers| first_step_p(numbers)).collect();
    let level = cut(&p, LARGEST_PART);
    for ((series, known), numbers) in series.iter_mut().zip(known).zip(numbers) {
        series.steps = steps(series.unit, &known, &numbers, level);
    }
}

/// The median of a kernel's launches in a run, whatever line submits them.
fn median_ns(run: &Sample, name: &str) -> Option<u64> {
    let own = |command: &&SampledCommand| command.key.name == name && command.key.kind == NodeKind::Kernel;
    let mut durations: Vec<(f64, f64)> = Vec::new();
    for command in run.commands.iter().filter(own) {
        // What is kept of many launches stands for all of them.
        let weight = command.later as f64 / command.durations_ns.len().max(1) as f64;
        durations.extend(command.durations_ns.iter().map(|ns| (*ns as f64, weight)));
    }
    weighted_median(durations).map(|median| median.round() as u64)
}

/// A series whose steps are not known yet.
fn plain(name: &str, unit: SeriesUnit, values: Vec<Option<u64>>) -> Series {
    Series { name: name.to_owned(), unit, values, steps: Vec::new() }
}

/// The values of a series with the runs that have them.
fn known(series: &Series) -> Vec<(usize, f64)> {
    series.values.iter().enumerate().filter_map(|(run, value)| Some((run, (*value)? as f64))).collect()
}

fn steps(unit: SeriesUnit, known: &[(usize, f64)], numbers: &[f64], level: f64) -> Vec<HistoryStep> {
    let points = change_points(numbers, level);
    let bounds: Vec<usize> = std::iter::once(0).chain(points).chain([numbers.len()]).collect();
    let steps = bounds.windows(3).filter_map(|part| {
        let (before, after) = (median(&numbers[part[0]..part[1]]), median(&numbers[part[1]..part[2]]));
        let is_large =
            unit != SeriesUnit::Nanoseconds || before == 0.0 || (after / before - 1.0).abs() >= LEAST_STEP;
        (before != after && is_large).then(|| HistoryStep {
            run: known[part[1]].0 as u32,
            before: before.round() as u64,
            after: after.round() as u64,
        })
    });
    steps.collect()
}
