//! Comparison of two groups of samples: figures and times, without single commands.

use rustc_hash::FxHashMap;
use syclscope_language::api::{
    ComparedRow, ComparedSide, Comparison, FigureChange, FigureUnit, LocationInfo, Presence, RowSide,
    TimeChange,
};

use super::classes::Classes;
use super::keys::Key;
use super::sample::{Sample, SampledCommand, by_key, figure_names, median_run};
use super::statistics::{Launches, evidence, verdict, whole_median};
use super::times::{Evidences, judge, time_change, times};
use super::{comparability, directions, iterations, region_times, renamed};
use syclscope_language::sorting::Sorting as _;

/// The runs of one side, with a name.
#[derive(Clone, Copy, Debug)]
pub struct SampledGroup<'s> {
    /// Name of the group.
    pub name: &'s str,
    /// Runs of the group.
    pub runs: &'s [Sample],
}

/// Compares two groups of samples, for a gate. Commands match by their keys, as in [`super::Comparing`]; results that
/// need single commands (the waterfall, loops, edges, memory) are left out.
pub fn compare_samples(a: SampledGroup<'_>, b: SampledGroup<'_>) -> Comparison {
    let is_without_directions = directions::are_mixed(a.runs.iter().chain(b.runs));
    let compared = [a.runs, b.runs].map(|runs| directions::compared(runs, is_without_directions));
    let runs = compared.each_ref().map(|runs| &**runs);
    let [(keys_a, counts_a), (keys_b, counts_b)] = runs.map(all_keys);
    let (keys, counts) = ([&keys_a[..], &keys_b[..]], [&counts_a[..], &counts_b[..]]);
    let mut classes = Classes::new(keys, counts);
    renamed::join(&mut classes, keys, counts);
    let commands_of_runs = runs.map(|runs| runs.iter().map(by_key).collect::<Vec<_>>());
    let clock_ns = runs.iter().flat_map(|runs| runs.iter()).map(|run| run.clock_ns).max().unwrap_or(1);
    let mut rows: Vec<(u32, ComparedRow, Evidences)> = Vec::new();
    let mut matched = 0;
    for (number, class) in (0..).zip(&classes.list) {
        let of_runs = [0, 1].map(|side: usize| -> Vec<&SampledCommand> {
            let Some(key) = class.keys[side].map(|key| &keys[side][key as usize]) else { return Vec::new() };
            commands_of_runs[side].iter().filter_map(|run| run.get(key).copied()).collect()
        });
        let presence = match of_runs.each_ref().map(Vec::is_empty) {
            [false, true] => Presence::OnlyA,
            [true, false] => Presence::OnlyB,
            [true, true] => continue,
            [false, false] => Presence::Both,
        };
        let ([time, first], evidences) = times(&of_runs, clock_ns);
        let sides = of_runs.each_ref().map(|runs| row_side(runs));
        let own = [0, 1].map(|side: usize| sides[side].as_ref().map_or(0, |row| row.count));
        matched += own[0].min(own[1]);
        let [a, b] = sides;
        rows.push((
            number,
            ComparedRow {
                presence,
                likeness: class.likeness,
                matched: own[0].min(own[1]),
                time,
                first,
                a,
                b,
                ..ComparedRow::default()
            },
            evidences,
        ));
    }
    judge(&mut rows);
    let total = |row: &ComparedRow| row.a.iter().chain(&row.b).map(|side| side.total_ns).max();
    rows.arrange_by_key(|(class, row, _)| (std::cmp::Reverse(total(row)), *class));
    let mut rows: Vec<ComparedRow> = rows.into_iter().map(|(_, row, _)| row).collect();
    (0..).zip(&mut rows).for_each(|(number, row)| row.row = number);
    let [a, b] = [a, b].map(side);
    let commands = [a.commands, b.commands];
    Comparison {
        a,
        b,
        notes: comparability::notes(runs, commands, matched, is_without_directions),
        differences: comparability::differences(runs[0], runs[1]),
        duration: duration(runs),
        matched,
        figures: figures(runs),
        part: part(runs),
        iterations: iterations::compared(runs),
        regions: region_times::compared(runs),
        rows,
        ..Comparison::default()
    }
}

/// Returns the name of the compared part of the runs; empty for whole runs.
pub(super) fn part(runs: [&[Sample]; 2]) -> String {
    runs.into_iter().flatten().next().map_or_else(String::new, |run| run.part.clone())
}

/// Returns the change of the time of the whole run, or of its part, unless the parts have a fixed length or belong to
/// different loops.
pub(super) fn duration(runs: [&[Sample]; 2]) -> TimeChange {
    let launches = runs.map(|runs| {
        let of_run = |run: &Sample| Launches { durations_ns: vec![run.duration_ns as f64], count: 1 };
        runs.iter().map(of_run).collect::<Vec<Launches>>()
    });
    let evidence = evidence(&launches[0], &launches[1], 1.0).filter(|_| comparability::have_duration(runs));
    let mut change = time_change(evidence.as_ref(), &launches);
    change.quantiles.clear();
    if let Some(evidence) = evidence {
        change.verdict = verdict(&evidence, evidence.p);
    }
    change
}

/// Figures that a part of a run lacks. Others count as 0 where they are missing.
const OF_WHOLE_RUNS: [&str; 2] = ["leaks", "leaked_bytes"];

/// Returns the figures of all runs, in display order.
pub(super) fn figures(runs: [&[Sample]; 2]) -> Vec<FigureChange> {
    let of = |side: usize, name: &str| {
        runs[side].iter().map(|run| run.figure(name).unwrap_or_default()).collect::<Vec<u64>>()
    };
    let change = |(name, unit): (&str, FigureUnit)| {
        let (a, b) = (of(0, name), of(1, name));
        FigureChange { name: name.to_owned(), unit, a, b }
    };
    let is_known = |name: &str| {
        !OF_WHOLE_RUNS.contains(&name) || runs.into_iter().flatten().all(|run| run.figure(name).is_some())
    };
    let names = figure_names(runs.into_iter().flatten()).into_iter();
    names.filter(|(name, _)| is_known(name)).map(change).collect()
}

/// Returns every key of some runs in order of appearance, and its highest count in a run.
fn all_keys(runs: &[Sample]) -> (Vec<Key>, Vec<u32>) {
    let mut numbers: FxHashMap<&Key, usize> = FxHashMap::default();
    let (mut keys, mut counts) = (Vec::new(), Vec::new());
    for command in runs.iter().flat_map(|run| &run.commands) {
        let number = *numbers.entry(&command.key).or_insert_with(|| {
            keys.push(command.key.clone());
            counts.push(0);
            keys.len() - 1
        });
        counts[number] = counts[number].max(u32::try_from(command.count).unwrap_or(u32::MAX));
    }
    (keys, counts)
}

fn row_side(runs: &[&SampledCommand]) -> Option<RowSide> {
    let key = &runs.first()?.key;
    let has_place = !key.file.is_empty() || !key.function.is_empty();
    let place =
        || LocationInfo { function: key.function.clone(), file: key.file.clone(), line: key.line, column: 0 };
    Some(RowSide {
        name: key.name.clone(),
        kind: key.kind,
        direction: key.direction,
        location: has_place.then(place),
        region: key.region.clone(),
        order: key.order,
        count: whole_median(runs.iter().map(|command| command.count)).unwrap_or_default(),
        total_ns: whole_median(runs.iter().map(|command| command.total_ns)).unwrap_or_default(),
        ..RowSide::default()
    })
}

fn side(group: SampledGroup<'_>) -> ComparedSide {
    let number = median_run(group.runs);
    let shown = group.runs.get(number);
    ComparedSide {
        name: group.name.to_owned(),
        runs: group.runs.len() as u32,
        shown: number as u32,
        duration_ns: shown.map_or(0, |run| run.duration_ns),
        commands: shown.map_or(0, |run| run.commands.iter().map(|command| command.count).sum()),
        ..ComparedSide::default()
    }
}
