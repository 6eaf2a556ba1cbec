//! The overview of a comparison in one answer.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, Range};

use rustc_hash::FxHashMap;
use syclscope_language::api::{
    ComparedEdges, ComparedLoop, ComparedMemory, ComparedSide, Comparison, LocationInfo, PartKind, RunSplit,
    WaterfallPart,
};
use syclscope_language::event::Category;

use super::memory::{self, Allocations};
use super::sample::duration_ns;
use super::waterfall::{PartKey, Share};
use super::{Comparing, comparability, edges, groups, iterations, region_times};
use crate::cancel;
use crate::id::{StringId, some};
use crate::query::location;
use crate::query::report;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

type Sides = (u32, u32);

impl<T: Deref<Target = Trace>> Comparing<T> {
    /// Returns the changes, their causes and verdicts, with at most `limit` rows in each list.
    pub fn overview(&self, limit: usize) -> Comparison {
        let matched = self.matching.matched();
        let commands = self.matching.items.each_ref().map(|items| items.len() as u64);
        let runs = [&self.runs[0][..], &self.runs[1][..]];
        let mut rows = self.rows.list.clone();
        let more_rows = rows.len().saturating_sub(limit) as u64;
        rows.truncate(limit);
        Comparison {
            a: self.side(0),
            b: self.side(1),
            notes: comparability::notes(runs, commands, matched, self.is_without_directions),
            differences: comparability::differences(runs[0], runs[1]),
            duration: groups::duration(runs),
            matched,
            figures: groups::figures(runs),
            waterfall: self.waterfall(limit),
            rows,
            more_rows,
            loops: self.loops(limit),
            edges: self.edges(limit),
            memory: self.memory(Allocations::MadeIn(self.ranges())).into_iter().take(limit).collect(),
            part: groups::part(runs),
            iterations: iterations::compared(runs),
            regions: region_times::compared(runs).into_iter().take(limit).collect(),
        }
    }

    pub(super) fn memory(&self, allocations: Allocations<'_>) -> Vec<ComparedMemory> {
        memory::changed(self.traces(), &self.matching.classes.edited, allocations)
    }

    fn ranges(&self) -> [&Range<u64>; 2] {
        self.matching.items.each_ref().map(|items| &items.range)
    }

    fn side(&self, side: usize) -> ComparedSide {
        ComparedSide {
            name: self.names[side].clone(),
            runs: self.runs[side].len() as u32,
            shown: self.shown[side] as u32,
            duration_ns: duration_ns(&self.traces[side], self.ranges()[side]),
            commands: self.matching.items[side].len() as u64,
            split: match self.parts[side] {
                Some(_) => RunSplit::default(),
                None => report::run_split(&self.traces[side]),
            },
        }
    }

    /// Returns the parts of the time of both sides, largest difference first. Those beyond `limit` are summed up by
    /// kind, so that the parts still add up.
    fn waterfall(&self, limit: usize) -> Vec<WaterfallPart> {
        let parts: BTreeSet<&PartKey> = self.shares.iter().flat_map(|shares| shares.list.keys()).collect();
        let totals = [0, 1].map(|side: usize| {
            let (trace, range) = (&*self.traces[side], self.ranges()[side]);
            let mut totals: FxHashMap<StringId, u64> = FxHashMap::default();
            for row in 0..trace.slices.len() {
                cancel::row(row);
                if matches!(trace.slices.category(row), Category::Call | Category::Native | Category::Memory)
                {
                    let (start, end) = trace.slices.interval(row);
                    let ns = end.min(range.end).saturating_sub(start.max(range.start));
                    *totals.entry(trace.slices.name.at(row)).or_default() += ns;
                }
            }
            let of_name = |(name, total_ns)| (trace.strings.get(name).to_owned(), total_ns);
            totals.into_iter().map(of_name).collect()
        });
        let mut parts: Vec<WaterfallPart> = parts.into_iter().map(|part| self.part(part, &totals)).collect();
        parts.arrange_by_key(|part| {
            let change = part.change_ns().unsigned_abs();
            (std::cmp::Reverse((change, part.a_ns.max(part.b_ns))), part.kind, part.name.clone())
        });
        let mut rest: BTreeMap<PartKind, WaterfallPart> = BTreeMap::new();
        for part in parts.split_off(limit.min(parts.len())) {
            let sum = rest.entry(part.kind).or_insert_with(|| WaterfallPart {
                kind: part.kind,
                name: "others".to_owned(),
                ..WaterfallPart::default()
            });
            sum.a_ns += part.a_ns;
            sum.b_ns += part.b_ns;
            sum.a_count += part.a_count;
            sum.b_count += part.b_count;
        }
        parts.extend(rest.into_values());
        parts
    }

    fn part(&self, part: &PartKey, totals: &[FxHashMap<String, u64>; 2]) -> WaterfallPart {
        let none = Share::default();
        let [a, b] = self.shares.each_ref().map(|shares| shares.list.get(part).unwrap_or(&none));
        let (kind, name, row) = match part {
            PartKey::Class(kind, class) => {
                (*kind, self.class_name(*class), some(self.rows.of_class[*class as usize]))
            }
            PartKey::Name(kind, name, function) if function.is_empty() => (*kind, name.clone(), None),
            PartKey::Name(kind, name, function) => (*kind, format!("{name} in {function}"), None),
        };
        let numbers = |side: usize, share: &Share| {
            share.nodes.iter().map(|(_, row)| self.traces[side].nodes.number.at(*row as usize)).collect()
        };
        let of_share = |side: usize, share: &Share| -> Option<LocationInfo> {
            let node = share.nodes.first().map(|(_, row)| self.traces[side].nodes.location.at(*row as usize));
            location(&self.traces[side], node.unwrap_or(share.location))
        };
        let total = |side: usize| match kind {
            PartKind::Call => totals[side].get(&name).copied().unwrap_or(0),
            _ => 0,
        };
        let (a_total_ns, b_total_ns) = (total(0), total(1));
        WaterfallPart {
            kind,
            name,
            a_total_ns,
            b_total_ns,
            a_ns: a.ns,
            b_ns: b.ns,
            a_count: a.count,
            b_count: b.count,
            row,
            location: of_share(1, b).or_else(|| of_share(0, a)),
            a_nodes: numbers(0, a),
            b_nodes: numbers(1, b),
        }
    }

    fn loops(&self, limit: usize) -> Vec<ComparedLoop> {
        // By class and iterations: the count, and the first items.
        let mut found: FxHashMap<(u32, Sides), (u64, Sides)> = FxHashMap::default();
        for one in &self.matching.loops {
            let class = self.matching.class(0, one.first.0);
            // If no command is missing, the loop was only split elsewhere, and did not run more often.
            let counts = self
                .rows
                .list
                .get(self.rows.of_class[class as usize] as usize)
                .map(|row| [&row.a, &row.b].map(|side| side.as_ref().map_or(0, |side| side.count)));
            if one.rounds.0 != one.rounds.1 && counts.is_some_and(|[a, b]| a == b) {
                continue;
            }
            let known = found.entry((class, one.rounds)).or_insert((0, one.first));
            known.0 += 1;
            known.1 = known.1.min(one.first);
        }
        let mut loops: Vec<(u32, ComparedLoop)> = found
            .into_iter()
            .map(|((class, rounds), (times, first))| {
                let node = |side: usize, item: u32| some(self.matching.items[side].node[item as usize]);
                let number = |side: usize, item: u32| {
                    node(side, item).map(|node| self.traces[side].nodes.number.at(node as usize))
                };
                let place = node(0, first.0).map(|node| self.traces[0].nodes.location.at(node as usize));
                let entry = ComparedLoop {
                    a_rounds: rounds.0.into(),
                    b_rounds: rounds.1.into(),
                    times,
                    name: self.class_name(class),
                    location: place.and_then(|place| location(&self.traces[0], place)),
                    nodes: (number(0, first.0), number(1, first.1)),
                };
                (first.0, entry)
            })
            .collect();
        loops.arrange_by_key(|(first, one)| (*first, one.a_rounds, one.b_rounds));
        loops.into_iter().map(|(_, one)| one).take(limit).collect()
    }

    fn edges(&self, limit: usize) -> Vec<ComparedEdges> {
        let groups = edges::changed(self.traces(), &self.matching);
        let mut changed: Vec<ComparedEdges> = groups
            .into_iter()
            .map(|((presence, source, target, reason, new_reason), group)| {
                let side = usize::from(presence == syclscope_language::api::Presence::OnlyB);
                let number = |row: u32| self.traces[side].nodes.number.at(row as usize);
                ComparedEdges {
                    presence,
                    source: self.rows.of_class[source as usize],
                    target: self.rows.of_class[target as usize],
                    names: (self.class_name(source), self.class_name(target)),
                    reason,
                    new_reason,
                    count: group.count,
                    nodes: group.nodes.into_iter().map(|(one, other)| (number(one), number(other))).collect(),
                }
            })
            .collect();
        changed.arrange_by_key(|edges| std::cmp::Reverse(edges.count));
        changed.truncate(limit);
        changed
    }

    /// Returns the name of a class, with the direction of copies: the candidate's, if it has one.
    fn class_name(&self, class: u32) -> String {
        let keys = self.matching.classes.list[class as usize].keys;
        let title = |side: usize| keys[side].map(|key| self.matching.items[side].keys[key as usize].title());
        title(1).or_else(|| title(0)).unwrap_or_default()
    }
}
