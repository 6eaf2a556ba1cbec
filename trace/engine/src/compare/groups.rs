//! Two groups of runs of which only samples are there: figures and times, without a word on single commands.

use std::collections::BTreeMap;

use syclscope_language::api::{
    ComparedRow, ComparedSide, Comparison, FigureChange, FigureUnit, LocationInfo, Presence, RowSide,
    TimeChange,
};

use super::classes::Classes;
use super::comparability;
use super::keys::Key;
use super::rows::{judge, time_change};
use super::sample::{Sample, SampledCommand};
use super::statistics::{Evidence, Launches, evidence, verdict};

/// The runs of one side by name, and what was sampled of them.
#[derive(Clone, Copy, Debug)]
pub struct SampledGroup<'s> {
    /// What it is called.
    pub name: &'s str,
    /// Its runs.
    pub runs: &'s [Sample],
}

/// Compares two groups of samples: what a gate needs. Commands are those of equal keys, as [`super::Comparing`] pairs keys; what
/// follows from single commands (the waterfall, loops, edges, memory) is not there.
pub fn compare_samples(a: SampledGroup<'_>, b: SampledGroup<'_>) -> Comparison {
    let runs = [a.runs, b.runs];
    let keys = runs.map(all_keys);
    let lists: [Vec<Key>; 2] =
        keys.each_ref().map(|keys| keys.iter().map(|(key, _)| (*key).clone()).collect());
    let counts: [Vec<u32>; 2] = keys.each_ref().map(|keys| keys.iter().map(|(_, count)| *count).collect());
    let classes = Classes::new([&lists[0], &lists[1]], [&counts[0], &counts[1]]);
    let clock_ns = runs.iter().flat_map(|runs| runs.iter()).map(|run| run.clock_ns).max().unwrap_or(1);
    let mut rows: Vec<(u32, ComparedRow, Option<Evidence>)> = Vec::new();
    let mut matched = 0;
    for (number, class) in (0..).zip(&classes.list) {
        let of_runs = [0, 1].map(|side: usize| -> Vec<&SampledCommand> {
            let key = class.keys[side].map(|key| &lists[side][key as usize]);
            let of_run = |run: &Sample| run.commands.iter().position(|command| Some(&command.key) == key);
            runs[side].iter().filter_map(|run| Some(&run.commands[of_run(run)?])).collect()
        });
        let presence = match of_runs.each_ref().map(Vec::is_empty) {
            [false, true] => Presence::OnlyA,
            [true, false] => Presence::OnlyB,
            [true, true] => continue,
            [false, false] => Presence::Both,
        };
        let launches = of_runs
            .each_ref()
            .map(|runs| runs.iter().map(|command| command.launches()).collect::<Vec<Launches>>());
        let evidence = evidence(&launches[0], &launches[1], clock_ns as f64);
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
                time: time_change(evidence.as_ref(), &launches),
                a,
                b,
                ..ComparedRow::default()
            },
            evidence,
        ));
    }
    judge(&mut rows);
    let total = |row: &ComparedRow| row.a.iter().chain(&row.b).map(|side| side.total_ns).max();
    rows.sort_by_key(|(class, row, _)| (std::cmp::Reverse(total(row)), *class));
    let mut rows: Vec<ComparedRow> = rows.into_iter().map(|(_, row, _)| row).collect();
    (0..).zip(&mut rows).for_each(|(number, row)| row.row = number);
    let commands = runs.map(|runs| middle(runs.iter().map(commands_of).collect()));
    Comparison {
        a: side(&a, commands[0]),
        b: side(&b, commands[1]),
        notes: comparability::notes(runs, commands, matched),
        differences: comparability::differences(runs[0], runs[1]),
        wall: wall(runs),
        matched,
        figures: figures(runs),
        rows,
        ..Comparison::default()
    }
}

/// The time of the whole run.
pub(super) fn wall(runs: [&[Sample]; 2]) -> TimeChange {
    let launches = runs.map(|runs| {
        let of_run = |run: &Sample| Launches { durations_ns: vec![run.wall_ns as f64], count: 1 };
        runs.iter().map(of_run).collect::<Vec<Launches>>()
    });
    let evidence = evidence(&launches[0], &launches[1], 1.0);
    let mut change = time_change(evidence.as_ref(), &launches);
    change.quantiles.clear();
    if let Some(evidence) = evidence {
        change.verdict = verdict(&evidence, evidence.p);
    }
    change
}

/// The figures of all runs, in the order in which they are shown.
pub(super) fn figures(runs: [&[Sample]; 2]) -> Vec<FigureChange> {
    let mut names: Vec<(&str, FigureUnit)> = Vec::new();
    for figure in runs.into_iter().flatten().flat_map(|run| &run.figures) {
        if !names.iter().any(|(name, _)| *name == figure.name) {
            names.push((&figure.name, figure.unit));
        }
    }
    let of = |side: usize, name: &str| {
        runs[side].iter().map(|run| run.figure(name).unwrap_or_default()).collect::<Vec<u64>>()
    };
    let change = |(name, unit): (&str, FigureUnit)| {
        let (a, b) = (of(0, name), of(1, name));
        FigureChange { name: name.to_owned(), unit, a, b }
    };
    names.into_iter().map(change).collect()
}

/// Every key of some runs, with how often it is in one of them at most.
fn all_keys(runs: &[Sample]) -> Vec<(&Key, u32)> {
    let mut keys: BTreeMap<&Key, u32> = BTreeMap::new();
    for command in runs.iter().flat_map(|run| &run.commands) {
        let count = keys.entry(&command.key).or_default();
        *count = (*count).max(u32::try_from(command.count).unwrap_or(u32::MAX));
    }
    keys.into_iter().collect()
}

fn row_side(runs: &[&SampledCommand]) -> Option<RowSide> {
    let key = &runs.first()?.key;
    let has_place = !key.file.is_empty() || !key.function.is_empty();
    let place =
        || LocationInfo { function: key.function.clone(), file: key.file.clone(), line: key.line, column: 0 };
    Some(RowSide {
        name: key.name.clone(),
        kind: key.kind,
        location: has_place.then(place),
        marker: key.marker.clone(),
        order: key.order,
        count: middle(runs.iter().map(|command| command.count).collect()),
        total_ns: middle(runs.iter().map(|command| command.total_ns).collect()),
        ..RowSide::default()
    })
}

fn side(group: &SampledGroup<'_>, commands: u64) -> ComparedSide {
    let wall_ns = middle(group.runs.iter().map(|run| run.wall_ns).collect());
    let shown = group.runs.iter().position(|run| run.wall_ns == wall_ns).unwrap_or_default();
    ComparedSide {
        name: group.name.to_owned(),
        runs: group.runs.len() as u32,
        shown: shown as u32,
        wall_ns,
        commands,
        ..ComparedSide::default()
    }
}

fn commands_of(run: &Sample) -> u64 {
    run.commands.iter().map(|command| command.count).sum()
}

/// The middle of some numbers, the greater of two; 0 of none.
fn middle(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
