//! The table of a comparison: a row for each kind of command, with its times on both sides and verdicts.

use syclscope_language::api::{ComparedRow, Likeness, Presence, RowSide};

use super::matching::Matching;
use super::sample::{Sample, SampledCommand, by_key};
use super::times::{Evidences, judge, times};
use super::waterfall::Shares;
use crate::id::{NONE, some};
use crate::query::slice_ref;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of named commands of a row.
const MAX_NAMED_COMMANDS: usize = 20;

pub(super) struct Rows {
    pub(super) list: Vec<ComparedRow>,
    pub(super) of_class: Vec<u32>,
}

#[derive(Clone, Default)]
struct Sums {
    count: [u64; 2],
    total_ns: [u64; 2],
    matched: u64,
    items: [Vec<u32>; 2],
}

impl Rows {
    /// Returns a row for each class with commands: largest change of time on the critical path first.
    pub(super) fn new(
        traces: [&Trace; 2],
        matching: &Matching,
        runs: [&[Sample]; 2],
        shares: &[Shares; 2],
    ) -> Self {
        let sums = sums(traces, matching);
        let samples = runs.map(|runs| runs.iter().map(by_key).collect::<Vec<_>>());
        let clock_ns = runs.iter().flat_map(|runs| runs.iter()).map(|run| run.clock_ns).max().unwrap_or(1);
        let mut rows: Vec<(u32, ComparedRow, Evidences)> = Vec::new();
        for (class, sums) in (0..).zip(&sums).filter(|(_, sums)| sums.count != [0, 0]) {
            let own = &matching.classes.list[class as usize];
            let presence = match sums.count {
                [_, 0] => Presence::OnlyA,
                [0, _] => Presence::OnlyB,
                _ => Presence::Both,
            };
            let commands = [0, 1].map(|side: usize| -> Vec<&SampledCommand> {
                let key = own.keys[side].map(|key| &matching.items[side].keys[key as usize]);
                key.map_or_else(Vec::new, |key| {
                    samples[side].iter().filter_map(|run| run.get(key).copied()).collect()
                })
            });
            let ([time, first], evidences) = times(&commands, clock_ns);
            let critical =
                shares.each_ref().map(|shares| shares.critical_ns.get(&class).copied().unwrap_or_default());
            let side = |side: usize| {
                let key = own.keys[side].filter(|_| sums.count[side] > 0)?;
                Some(row_side(traces[side], matching, side, key, sums, critical[side]))
            };
            let row = ComparedRow {
                row: 0,
                presence,
                likeness: own.likeness,
                a: side(0),
                b: side(1),
                matched: sums.matched,
                others: Vec::new(),
                time,
                first,
                critical_change_ns: critical[1].cast_signed() - critical[0].cast_signed(),
            };
            rows.push((class, row, evidences));
        }
        judge(&mut rows);
        let total = |row: &ComparedRow| {
            row.a.iter().chain(&row.b).map(|side| side.total_ns).max().unwrap_or_default()
        };
        rows.arrange_by_key(|(class, row, _)| {
            let changed = row.critical_change_ns.unsigned_abs();
            (std::cmp::Reverse((changed, total(row))), *class)
        });
        let mut of_class = vec![NONE; matching.classes.list.len()];
        for (number, (class, row, _)) in rows.iter_mut().enumerate() {
            row.row = number as u32;
            of_class[*class as usize] = number as u32;
        }
        let mut list: Vec<ComparedRow> = rows.into_iter().map(|(_, row, _)| row).collect();
        for split in &matching.splits {
            let numbers = split.classes.each_ref().map(|classes| {
                classes.iter().filter_map(|class| some(of_class[*class as usize])).collect::<Vec<u32>>()
            });
            for side in 0..2 {
                for number in &numbers[side] {
                    let row = &mut list[*number as usize];
                    row.likeness = Likeness::Split;
                    row.others.clone_from(&numbers[1 - side]);
                }
            }
        }
        Self { list, of_class }
    }
}

fn sums(traces: [&Trace; 2], matching: &Matching) -> Vec<Sums> {
    let mut sums = vec![Sums::default(); matching.classes.list.len()];
    for side in 0..2 {
        let items = &matching.items[side];
        for item in 0..items.len() {
            let own = &mut sums[matching.class(side, item as u32) as usize];
            own.count[side] += 1;
            own.matched += u64::from(side == 0 && matching.partner[0][item] != NONE);
            if own.items[side].len() < MAX_NAMED_COMMANDS {
                own.items[side].push(item as u32);
            }
            if let Some(slice) = some(items.slice[item]) {
                let duration = traces[side].slices.duration.at(slice as usize);
                own.total_ns[side] = own.total_ns[side].saturating_add(duration);
            }
        }
    }
    sums
}

fn row_side(
    trace: &Trace,
    matching: &Matching,
    side: usize,
    key: u32,
    sums: &Sums,
    critical_ns: u64,
) -> RowSide {
    let items = &matching.items[side];
    let key = &items.keys[key as usize];
    let named = &sums.items[side];
    let node = |item: &u32| some(items.node[*item as usize]);
    let slice = named.iter().find_map(|item| some(items.slice[*item as usize]));
    let place = named.first().map(|item| match node(item) {
        Some(node) => trace.nodes.location.at(node as usize),
        None => slice.map_or_else(Default::default, |slice| trace.slices.location.at(slice as usize)),
    });
    RowSide {
        name: key.name.clone(),
        kind: key.kind,
        direction: key.direction,
        location: place.and_then(|place| crate::query::location(trace, place)),
        region: key.region.clone(),
        order: key.order,
        count: sums.count[side],
        total_ns: sums.total_ns[side],
        critical_ns,
        nodes: named.iter().filter_map(node).map(|node| trace.nodes.number.at(node as usize)).collect(),
        at: slice.map(|slice| slice_ref(trace, slice)),
    }
}
