//! A history of runs: the values of each figure and time, and the runs at which they changed.

use std::collections::{BTreeMap, HashMap, HashSet};

use syclscope_language::api::{History, HistoryStep, Series, SeriesUnit};
use syclscope_language::event::NodeKind;

use super::classes::Classes;
use super::directions;
use super::keys::Key;
use super::sample::{FINDING, Sample, SampledCommand, figure_names};
use super::statistics::{change_points, cut, first_step_p, median, weighted_median, whole_median};
use syclscope_language::sorting::Sorting as _;

/// Maximum number of series of kernels, and of copies and fills: those with most device time.
const MAX_KERNELS: usize = 20;
const MAX_COPIES: usize = 20;
/// Minimum relative size of a step of a time: a smaller one is not noticeable.
const MIN_STEP: f64 = super::statistics::MIN_CHANGE;
/// False discovery rate of steps among the series.
const MAX_FALSE_DISCOVERIES: f64 = 0.05;
/// Figures that come first, as in every list.
const FIRST: [&str; 2] = ["commands", "launches"];

/// Returns the series of some runs, in their order, with steps. For each series, costs as much as sorting it some
/// thousand times.
pub fn history(runs: &[Sample]) -> History {
    let mut series = series_of(runs);
    find_steps(&mut series);
    History { runs: runs.iter().map(|run| run.name.clone()).collect(), series }
}

/// Returns the series of some runs, without steps.
pub fn series_of(runs: &[Sample]) -> Vec<Series> {
    let runs = directions::compared(runs, directions::are_mixed(runs.iter()));
    let of = |name: &str, unit, value: &dyn Fn(&Sample) -> Option<u64>| {
        plain(name, unit, runs.iter().map(value).collect())
    };
    let mut series = vec![
        of("duration", SeriesUnit::Nanoseconds, &|run| Some(run.duration_ns)),
        of("busy", SeriesUnit::Nanoseconds, &|run| run.busy_ns),
    ];
    let mut figures = figure_names(runs.iter());
    // If no run of a version has a finding of a kind, the version may lack the rule.
    let versions = |name: &str| -> HashSet<&str> {
        let found = runs.iter().filter(|run| run.figure(name).is_some());
        found.map(|run| run.version.as_str()).collect()
    };
    let kinds = figures.iter().map(|(name, _)| *name).filter(|name| name.starts_with(FINDING));
    let kinds: HashMap<&str, HashSet<&str>> = kinds.map(|name| (name, versions(name))).collect();
    let looked = |run: &Sample, versions: &HashSet<&str>| versions.contains(run.version.as_str());
    figures.arrange_by_key(|(name, _)| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
    for (place, (name, unit)) in figures.into_iter().enumerate() {
        if place == FIRST.len() {
            series.push(of("findings", SeriesUnit::Count, &|run| {
                kinds.values().all(|versions| looked(run, versions)).then(|| run.findings())
            }));
        }
        let is_known = |run: &Sample| kinds.get(name).is_none_or(|versions| looked(run, versions));
        series.push(of(name, unit.into(), &|run| run.figure(name).or_else(|| is_known(run).then_some(0))));
    }
    series.extend(kernels(&runs));
    series.extend(copies(&runs));
    series
}

/// Returns a series for each kernel, whatever line submits it.
fn kernels(runs: &[Sample]) -> impl Iterator<Item = Series> {
    let mut kernels: BTreeMap<&str, u64> = BTreeMap::new();
    for command in
        runs.iter().flat_map(|run| &run.commands).filter(|command| command.key.kind == NodeKind::Kernel)
    {
        *kernels.entry(&command.key.name).or_default() += command.total_ns;
    }
    let mut kernels: Vec<(&str, u64)> = kernels.into_iter().collect();
    kernels.arrange_by_key(|(name, total_ns)| (std::cmp::Reverse(*total_ns), *name));
    kernels.into_iter().take(MAX_KERNELS).map(|(name, _)| {
        plain(name, SeriesUnit::Nanoseconds, runs.iter().map(|run| median_ns(run, name)).collect())
    })
}

/// The copies and fills of some runs that a comparison shows as one row.
struct Row<'s> {
    /// The key in the last run that has it.
    key: Key,
    total_ns: u64,
    commands: Vec<Option<&'s SampledCommand>>,
}

/// Returns a series for each row of copies and fills. They share few names: only direction and source location
/// distinguish them.
fn copies(runs: &[Sample]) -> impl Iterator<Item = Series> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        // Kernels show where lines moved.
        let is_wanted = |command: &&SampledCommand| {
            matches!(command.key.kind, NodeKind::Copy | NodeKind::Fill | NodeKind::Kernel)
        };
        let commands: Vec<&SampledCommand> = run.commands.iter().filter(is_wanted).collect();
        let known: Vec<Key> = rows.iter().map(|row| row.key.clone()).collect();
        let keys: Vec<Key> = commands.iter().map(|command| command.key.clone()).collect();
        crate::cancel::spend(known.len() + keys.len());
        let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let last = |row: &Row<'_>| row.commands.iter().rev().find_map(|one| one.map(|one| count(one.count)));
        let known_counts: Vec<u32> = rows.iter().map(|row| last(row).unwrap_or_default()).collect();
        let counts: Vec<u32> = commands.iter().map(|command| count(command.count)).collect();
        for class in Classes::new([&known, &keys], [&known_counts, &counts]).list {
            let Some(now) = class.keys[1] else { continue };
            let command = commands[now as usize];
            let place = class.keys[0].map_or_else(
                || {
                    rows.push(Row { key: Key::default(), total_ns: 0, commands: vec![None; runs.len()] });
                    rows.len() - 1
                },
                |known| known as usize,
            );
            let row = &mut rows[place];
            row.key = command.key.clone();
            row.total_ns = row.total_ns.saturating_add(command.total_ns);
            row.commands[number] = Some(command);
        }
    }
    rows.retain(|row| row.key.kind != NodeKind::Kernel);
    rows.arrange_by(|one, other| other.total_ns.cmp(&one.total_ns).then_with(|| one.key.cmp(&other.key)));
    rows.truncate(MAX_COPIES);
    // Rows with equal direction and source location get numbers.
    let mut named: HashMap<String, u32> = HashMap::new();
    let rows = rows.into_iter().map(|row| {
        let title = row.key.place_title();
        let number = named.entry(title.clone()).and_modify(|number| *number += 1).or_insert(1);
        let name = if *number > 1 { format!("{title}, {number}") } else { title };
        let median = |command: &SampledCommand| whole_median(command.durations_ns.iter().copied());
        plain(
            &name,
            SeriesUnit::Nanoseconds,
            row.commands.iter().map(|command| command.and_then(median)).collect(),
        )
    });
    rows.collect::<Vec<Series>>().into_iter()
}

/// Finds the steps of some series together, with a limited rate of false discoveries.
pub fn find_steps(series: &mut [Series]) {
    let known: Vec<Vec<(usize, f64)>> = series.iter().map(numbered_values).collect();
    let numbers: Vec<Vec<f64>> =
        known.iter().map(|known| known.iter().map(|(_, number)| *number).collect()).collect();
    // A constant series has no step, and needs no test.
    let varies = |numbers: &&Vec<f64>| numbers.windows(2).any(|pair| pair[0] != pair[1]);
    let p: Vec<f64> = numbers.iter().filter(varies).map(|numbers| first_step_p(numbers)).collect();
    let level = cut(&p, MAX_FALSE_DISCOVERIES);
    for ((series, known), numbers) in series.iter_mut().zip(known).zip(numbers) {
        series.steps = steps(series.unit, &known, &numbers, level);
    }
}

/// Returns the median of a kernel's launches in a run, whatever line submits them.
fn median_ns(run: &Sample, name: &str) -> Option<u64> {
    let own = |command: &&SampledCommand| command.key.name == name && command.key.kind == NodeKind::Kernel;
    let mut durations: Vec<(f64, f64)> = Vec::new();
    for command in run.commands.iter().filter(own) {
        // Of many launches, the sample has quantiles of their durations.
        let weight = command.later as f64 / command.durations_ns.len().max(1) as f64;
        durations.extend(command.durations_ns.iter().map(|ns| (*ns as f64, weight)));
    }
    weighted_median(durations).map(|median| median.round() as u64)
}

/// Returns a series without steps.
fn plain(name: &str, unit: SeriesUnit, values: Vec<Option<u64>>) -> Series {
    Series { name: name.to_owned(), unit, values, steps: Vec::new() }
}

fn numbered_values(series: &Series) -> Vec<(usize, f64)> {
    series.values.iter().enumerate().filter_map(|(run, value)| Some((run, (*value)? as f64))).collect()
}

fn steps(unit: SeriesUnit, known: &[(usize, f64)], numbers: &[f64], level: f64) -> Vec<HistoryStep> {
    let points = change_points(numbers, level);
    let bounds: Vec<usize> = std::iter::once(0).chain(points).chain([numbers.len()]).collect();
    let steps = bounds.windows(3).filter_map(|part| {
        let (before, after) = (median(&numbers[part[0]..part[1]]), median(&numbers[part[1]..part[2]]));
        let is_large =
            unit != SeriesUnit::Nanoseconds || before == 0.0 || (after / before - 1.0).abs() >= MIN_STEP;
        let [told_before, told_after] = whole([before, after]);
        (before != after && is_large).then(|| HistoryStep {
            run: known[part[1]].0 as u32,
            before: told_before,
            after: told_after,
        })
    });
    steps.collect()
}

/// Returns the medians before and after a step as whole numbers, rounded apart if they would be equal.
fn whole([before, after]: [f64; 2]) -> [u64; 2] {
    let is_up = before < after;
    let rounded = [before.round(), after.round()];
    let told = match rounded[0] == rounded[1] {
        true if is_up => [before.floor(), after.ceil()],
        true => [before.ceil(), after.floor()],
        false => rounded,
    };
    told.map(|median| median as u64)
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn the_medians_of_a_step_differ() {
        let medians = [[2.5, 3.0], [3.0, 2.5], [2.0, 2.5], [2.5, 2.0], [3.5, 9.0]];
        assert_eq!(medians.map(whole), [[2, 3], [3, 2], [2, 3], [3, 2], [4, 9]]);
    }
}
