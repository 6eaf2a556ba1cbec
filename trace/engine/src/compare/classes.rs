//! Matching of kinds of commands of two traces, before single commands are matched.
//!
//! Equal keys match. The remaining keys match if they differ in few things: first the line, which any edit above it
//! moves, then the queue's order, the file, the function, the region. Copies keep their direction; the last two passes
//! match copies that have one end in common. A key has at most one counterpart.
//!
//! In files whose lines moved, a line's number may belong to another statement. Keys of such a file that differ only in
//! their line match in the order of their lines.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use syclscope_language::api::Likeness;
use syclscope_language::event::NodeKind;

use super::keys::Key;
use crate::cancel;
use syclscope_language::sorting::Sorting as _;

/// A key of one side with its number and its count.
type Counted<'k> = (&'k Key, u32);

/// Hashes the parts of a key that a pass compares.
type HashParts = fn(&Key, &mut FxHasher);

/// Limit of the choices between keys of a group that are tried; beyond it, keys are taken in order.
const MAX_CHOICES: usize = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct Classes {
    /// For each key of either side, the number of its class. Matching keys of the two sides share a class.
    pub(super) of_key: [Vec<u32>; 2],
    /// For each class: its key on either side, by number, and their likeness.
    pub(super) list: Vec<Class>,
    /// Files in which a kernel is at another line.
    pub(super) edited: FxHashSet<String>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) keys: [Option<u32>; 2],
    pub(super) likeness: Likeness,
}

/// Parts of keys that each pass compares, fewer from pass to pass.
const PASSES: [(Likeness, HashParts); 8] = [
    (Likeness::Same, |key, hasher| key.hash(hasher)),
    (Likeness::Moved, |key, hasher| {
        (&key.name, &key.file, &key.function, &key.region, key.order as u8, key.direction as u8).hash(hasher);
    }),
    (Likeness::OtherQueue, |key, hasher| {
        (&key.name, &key.file, &key.function, &key.region, key.direction as u8).hash(hasher);
    }),
    (Likeness::Moved, |key, hasher| {
        (&key.name, &key.function, &key.region, key.direction as u8).hash(hasher);
    }),
    (Likeness::Moved, |key, hasher| (&key.name, &key.region, key.direction as u8).hash(hasher)),
    (Likeness::Moved, |key, hasher| (&key.name, key.direction as u8).hash(hasher)),
    // Another kind of memory at one end of a copy.
    (Likeness::OtherDirection, |key, hasher| one_end(key, 1).hash(hasher)),
    (Likeness::OtherDirection, |key, hasher| one_end(key, 0).hash(hasher)),
];

/// Returns a copy's source location, and one of its ends.
fn one_end(key: &Key, end: usize) -> (&str, &str, &str, &str, &str) {
    (&key.name, &key.file, &key.function, &key.region, key.direction.ends()[end])
}

impl Classes {
    pub(super) fn new(keys: [&[Key]; 2], counts: [&[u32]; 2]) -> Self {
        let mut partner: [Vec<Option<(u32, Likeness)>>; 2] =
            [vec![None; keys[0].len()], vec![None; keys[1].len()]];
        let edited = edited(keys);
        for (likeness, hashed) in PASSES {
            let mut groups: FxHashMap<u64, [Vec<u32>; 2]> = FxHashMap::default();
            for side in 0..2 {
                cancel::spend(keys[side].len());
                let is_wanted = |key: &Key| match likeness {
                    Likeness::Same => !edited.contains(key.file.as_str()),
                    Likeness::OtherDirection => !key.direction.is_unknown(),
                    _ => true,
                };
                for (number, key) in keys[side]
                    .iter()
                    .enumerate()
                    .filter(|(number, key)| partner[side][*number].is_none() && is_wanted(key))
                {
                    let mut hasher = FxHasher::default();
                    (key.kind as u8).hash(&mut hasher);
                    hashed(key, &mut hasher);
                    groups.entry(hasher.finish()).or_default()[side].push(number as u32);
                }
            }
            let mut groups: Vec<[Vec<u32>; 2]> =
                groups.into_values().filter(|group| group.iter().all(|side| !side.is_empty())).collect();
            groups.sort_unstable();
            for group in groups {
                let counted = |side: usize| -> Vec<Counted<'_>> {
                    group[side]
                        .iter()
                        .map(|number| (&keys[side][*number as usize], counts[side][*number as usize]))
                        .collect()
                };
                for (one, other) in in_order(&counted(0), &counted(1)) {
                    let (one, other) = (group[0][one], group[1][other]);
                    let is_same = keys[0][one as usize] == keys[1][other as usize];
                    let likeness = if is_same { Likeness::Same } else { likeness };
                    partner[0][one as usize] = Some((other, likeness));
                    partner[1][other as usize] = Some((one, likeness));
                }
            }
        }
        let mut classes = Self {
            of_key: [vec![0; keys[0].len()], vec![0; keys[1].len()]],
            list: Vec::new(),
            edited: edited.into_iter().map(str::to_owned).collect(),
        };
        for (number, partner) in partner[0].iter().enumerate() {
            let class = classes.list.len() as u32;
            classes.of_key[0][number] = class;
            if let Some((other, _)) = partner {
                classes.of_key[1][*other as usize] = class;
            }
            let likeness = partner.map_or(Likeness::Same, |(_, likeness)| likeness);
            classes
                .list
                .push(Class { keys: [Some(number as u32), partner.map(|(other, _)| other)], likeness });
        }
        for (number, _) in partner[1].iter().enumerate().filter(|(_, partner)| partner.is_none()) {
            classes.of_key[1][number] = classes.list.len() as u32;
            classes.list.push(Class { keys: [None, Some(number as u32)], likeness: Likeness::Same });
        }
        classes
    }

    /// Joins two classes, each of one side only.
    pub(super) fn join(&mut self, of_a: u32, of_b: u32, likeness: Likeness) {
        let Some(key) = self.list[of_b as usize].keys[1].take() else { return };
        self.list[of_a as usize] = Class { keys: [self.list[of_a as usize].keys[0], Some(key)], likeness };
        self.of_key[1][key as usize] = of_a;
    }
}

/// Returns the files in which lines moved: a kernel of the file has a single line on each side, and the two differ.
fn edited(keys: [&[Key]; 2]) -> FxHashSet<&str> {
    let [a, b] = keys.map(|keys| {
        let mut lines: FxHashMap<(&str, &str), Option<u32>> = FxHashMap::default();
        for key in keys.iter().filter(|key| key.kind == NodeKind::Kernel) {
            let known = lines.entry((key.file.as_str(), key.name.as_str())).or_insert(Some(key.line));
            *known = known.filter(|line| *line == key.line);
        }
        lines
    });
    let moved = a.into_iter().filter(|(kernel, line)| {
        let other = b.get(kernel).copied().flatten();
        line.zip(other).is_some_and(|(line, other)| line != other)
    });
    moved.map(|((file, _), _)| file).collect()
}

/// Pairs keys in the order of their lines. If one side has more keys, prefers pairs with equal counts of commands, then
/// with equal lines.
fn in_order(a: &[Counted<'_>], b: &[Counted<'_>]) -> Vec<(usize, usize)> {
    let by_line = |keys: &[Counted<'_>]| {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.arrange_by_key(|place| (keys[*place].0.line, keys[*place].0));
        order
    };
    let (order_a, order_b) = (by_line(a), by_line(b));
    if a.len() * b.len() > MAX_CHOICES || a.len() == b.len() {
        return order_a.into_iter().zip(order_b).collect();
    }
    cancel::spend(a.len() * b.len());
    let (n, m) = (order_a.len(), order_b.len());
    // More than all equal lines together.
    let unit = n.min(m) as u32 + 1;
    let worth = |one: usize, other: usize| {
        let ((key, count), (twin, times)) = (a[order_a[one]], b[order_b[other]]);
        let pair = if count == times { 3 } else { 2 };
        unit * pair + u32::from(key.line == twin.line)
    };
    let mut best = vec![0_u32; (n + 1) * (m + 1)];
    for one in (0..n).rev() {
        for other in (0..m).rev() {
            let at = |one: usize, other: usize| best[one * (m + 1) + other];
            best[one * (m + 1) + other] =
                at(one + 1, other).max(at(one, other + 1)).max(at(one + 1, other + 1) + worth(one, other));
        }
    }
    let (mut one, mut other, mut pairs) = (0, 0, Vec::new());
    while one < n && other < m {
        let at = |one: usize, other: usize| best[one * (m + 1) + other];
        if at(one, other) == at(one + 1, other + 1) + worth(one, other) {
            pairs.push((order_a[one], order_b[other]));
            (one, other) = (one + 1, other + 1);
        } else if at(one, other) == at(one + 1, other) {
            one += 1;
        } else {
            other += 1;
        }
    }
    pairs
}
