//! Many runs one after the other: how each figure and time went, and where it went on differently.

use std::collections::BTreeMap;

use syclscope_language::api::{History, HistoryStep, Series, SeriesUnit};
use syclscope_language::event::NodeKind;

use super::sample::Sample;
use super::statistics::{Launches, change_points};

/// Series of kernels: those with most device time.
const MOST_KERNELS: usize = 20;
/// A step of a time that is smaller than this part is none: nobody would notice it.
const LEAST_STEP: f64 = super::statistics::LEAST_CHANGE;

/// The series of some runs, in the order in which they are given, with their steps. The cost grows with the square of their number:
/// that of a thousand runs is about a second for each series.
pub fn history(runs: &[Sample]) -> History {
    let mut series = vec![of("wall", SeriesUnit::Nanoseconds, runs.iter().map(|run| Some(run.wall_ns)))];
    let mut names: Vec<(&str, SeriesUnit)> = Vec::new();
    for figure in runs.iter().flat_map(|run| &run.figures) {
        if !names.iter().any(|(name, _)| *name == figure.name) {
            names.push((&figure.name, figure.unit.into()));
        }
    }
    for (name, unit) in names {
        series.push(of(name, unit, runs.iter().map(|run| Some(run.figure(name).unwrap_or_default()))));
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
        series.push(of(name, SeriesUnit::Nanoseconds, runs.iter().map(|run| median_ns(run, name))));
    }
    History { runs: runs.iter().map(|run| run.name.clone()).collect(), series }
}

/// The median of a kernel's launches in a run, whatever line submits them.
fn median_ns(run: &Sample, name: &str) -> Option<u64> {
    let mut durations_ns: Vec<f64> = Vec::new();
    for command in
        run.commands.iter().filter(|command| command.key.name == name && command.key.kind == NodeKind::Kernel)
    {
        durations_ns.extend(command.launches().durations_ns);
    }
    let count = durations_ns.len() as u64;
    (count > 0).then(|| Launches { durations_ns, count }.median_ns() as u64)
}

fn of(name: &str, unit: SeriesUnit, values: impl Iterator<Item = Option<u64>>) -> Series {
    let values: Vec<Option<u64>> = values.collect();
    let known: Vec<(usize, f64)> =
        values.iter().enumerate().filter_map(|(run, value)| Some((run, (*value)? as f64))).collect();
    let numbers: Vec<f64> = known.iter().map(|(_, number)| *number).collect();
    let points = change_points(&numbers);
    let bounds: Vec<usize> =
        std::iter::once(0).chain(points.iter().copied()).chain([numbers.len()]).collect();
    let level = |from: usize, to: usize| {
        let part: Vec<f64> = numbers[from..to].to_vec();
        Launches { count: part.len() as u64, durations_ns: part }.median_ns()
    };
    let steps = bounds.windows(3).filter_map(|part| {
        let (before, after) = (level(part[0], part[1]), level(part[1], part[2]));
        let is_large =
            unit != SeriesUnit::Nanoseconds || before == 0.0 || (after / before - 1.0).abs() >= LEAST_STEP;
        (before != after && is_large).then(|| HistoryStep {
            run: known[part[1]].0 as u32,
            before: before as u64,
            after: after as u64,
        })
    });
    Series { name: name.to_owned(), unit, steps: steps.collect(), values }
}
