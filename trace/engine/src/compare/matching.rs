//! Matching of the commands of two traces.

use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::gaps::{self, Gap, Split};
use super::items::Items;
use super::rounds::{self, PairedLoop};
use super::{leftovers, threads};
use crate::cancel;
use crate::graph::{Part, Repeats};
use crate::id::{NONE, some};
use crate::store::Trace;

/// Longer sequences are matched without folding their loops: a folded command takes 50 bytes.
const MAX_FOLDED: usize = 4 << 20;

/// Query steps of folding an element.
const FOLD_STEPS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Matching {
    pub(super) items: [Items; 2],
    pub(super) classes: Classes,
    /// For each item of either side its match on the other, or `NONE`.
    pub(super) partner: [Vec<u32>; 2],
    /// Loops with another number of iterations or other contents; positions are items.
    pub(super) loops: Vec<PairedLoop>,
    pub(super) splits: Vec<Split>,
    /// Names of the candidate's threads, by the tracks of the baseline's threads that they match.
    pub(super) thread_names: FxHashMap<u32, String>,
}

impl Matching {
    /// Matches two traces' commands. Takes about as long as sorting them.
    pub(super) fn new(traces: [&Trace; 2], items: [Items; 2]) -> Self {
        // Commands are compared with commands, and slices with slices.
        let is_comparable = items[0].are_slices == items[1].are_slices;
        let counts = [items[0].counts(), items[1].counts()];
        let classes = Classes::new([&items[0].keys, &items[1].keys], [&counts[0], &counts[1]]);
        let partner = [vec![NONE; items[0].len()], vec![NONE; items[1].len()]];
        let mut matching = Self { items, classes, partner, ..Self::default() };
        if is_comparable {
            let gaps = matching.threads();
            let [a, b] = &matching.items;
            matching.splits = gaps::explain([a, b], &mut matching.classes, &gaps);
            matching.renamed(&gaps);
            let [a, b] = &matching.items;
            leftovers::match_leftovers(traces, [a, b], &matching.classes, &mut matching.partner);
        }
        matching
    }

    /// Matches the threads' commands in order, and returns the gaps between matched ones.
    fn threads(&mut self) -> Vec<Gap> {
        let of_key = &self.classes.of_key;
        let pairs = {
            let [a, b] = &self.items;
            threads::pair([a, b], [&of_key[0], &of_key[1]], self.classes.list.len())
        };
        let mut gaps = Vec::new();
        for (one, other) in pairs {
            let (track, name) = (self.items[0].sequences[one].track, &self.items[1].sequences[other].name);
            self.thread_names.insert(track, name.clone());
            let part =
                [self.items[0].sequences[one].items.clone(), self.items[1].sequences[other].items.clone()];
            let symbols = [0, 1].map(|side: usize| -> Vec<u32> {
                let keys = &self.items[side].key[part[side].clone()];
                keys.iter().map(|key| of_key[side][*key as usize]).collect()
            });
            let folded = symbols.each_ref().map(|symbols| fold(symbols));
            let paired = rounds::pair((&symbols[0], &folded[0]), (&symbols[1], &folded[1]));
            let first = part.each_ref().map(|part| part.start as u32);
            let end = part.each_ref().map(|part| part.end as u32);
            let mut next = first;
            let pairs = paired.pairs.iter().map(|(one, other)| [first[0] + one, first[1] + other]);
            for pair in pairs.chain([end]) {
                if next[0] < pair[0] && next[1] < pair[1] {
                    gaps.push(Gap { a: next[0]..pair[0], b: next[1]..pair[1] });
                }
                next = pair.map(|item| item + 1);
                if pair != end {
                    self.partner[0][pair[0] as usize] = pair[1];
                    self.partner[1][pair[1] as usize] = pair[0];
                }
            }
            self.loops.extend(
                paired.loops.iter().map(|one| PairedLoop {
                    first: (first[0] + one.first.0, first[1] + one.first.1),
                    ..*one
                }),
            );
        }
        gaps
    }

    /// Pairs, gap by gap, commands of classes that were joined as renamed.
    fn renamed(&mut self, gaps: &[Gap]) {
        for gap in gaps {
            cancel::spend(gap.a.len() + gap.b.len());
            // Unmatched commands of the other side, last to first.
            let mut free: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
            for other in gap.b.clone().rev().filter(|other| self.partner[1][*other as usize] == NONE) {
                let class = self.class(1, other);
                if self.is_on_both(class) {
                    free.entry(class).or_default().push(other);
                }
            }
            if free.is_empty() {
                continue;
            }
            for one in gap.a.clone() {
                let other = free.get_mut(&self.class(0, one)).and_then(Vec::pop);
                if let Some(other) = other {
                    self.partner[0][one as usize] = other;
                    self.partner[1][other as usize] = one;
                }
            }
        }
    }

    pub(super) fn class(&self, side: usize, item: u32) -> u32 {
        self.classes.of_key[side][self.items[side].key[item as usize] as usize]
    }

    pub(super) fn is_on_both(&self, class: u32) -> bool {
        self.classes.list[class as usize].keys.iter().all(Option::is_some)
    }

    pub(super) fn matched(&self) -> u64 {
        self.partner[0].iter().filter(|partner| **partner != NONE).count() as u64
    }

    /// Returns the matching node of the other side, by row.
    pub(super) fn other_node(&self, side: usize, node: u32) -> Option<u32> {
        let item = self.items[side].of_node.get(node as usize).copied().and_then(some)?;
        let other = some(self.partner[side][item as usize])?;
        some(self.items[1 - side].node[other as usize])
    }
}

fn fold(symbols: &[u32]) -> Vec<Part> {
    cancel::spend(FOLD_STEPS * symbols.len());
    if symbols.len() > MAX_FOLDED {
        return (0..symbols.len() as u32).map(Part::One).collect();
    }
    Repeats::parts(symbols)
}
