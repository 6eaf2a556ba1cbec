//! Gaps between matched commands, with differently named classes on either side: a kernel that was renamed, split or
//! joined.

use std::collections::BTreeMap;
use std::ops::Range;

use syclscope_language::api::Likeness;
use syclscope_language::event::NodeKind;

use super::classes::Classes;
use super::items::Items;
use super::keys::Key;
use crate::cancel;

/// Maximum number of kinds of commands on one side of a gap; gaps with more are not explained.
const MAX_KINDS: usize = 16;

/// Minimum percentage of a class's commands in the gaps that it shares with its counterpart: a run may have a few more
/// at its end, or a few less.
const MOSTLY: u64 = 90;

/// Commands of one side only, between two matched ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) a: Range<u32>,
    pub(super) b: Range<u32>,
}

/// Several classes of one side that correspond to one class of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Split {
    /// Classes on either side; exactly one on one of the sides.
    pub(super) classes: [Vec<u32>; 2],
}

/// Kind of commands, and direction of copies: a new name changes neither.
pub(super) type Kind = (u8, u8);

/// Classes of one kind in a gap, on either side, in the order of their first commands.
type Signature = (Kind, [Vec<u32>; 2]);

pub(super) fn kind_of(key: &Key) -> Kind {
    (key.kind as u8, key.direction as u8)
}

/// Joins renamed classes, and finds split or joined ones. The classes of both sides must be in the same gaps, without
/// other classes of their kind. The parts of a split must be equally frequent.
pub(super) fn explain(items: [&Items; 2], classes: &mut Classes, gaps: &[Gap]) -> Vec<Split> {
    let mut found: BTreeMap<Signature, [Vec<u64>; 2]> = BTreeMap::new();
    for gap in gaps {
        let counted = [counts(items[0], classes, 0, &gap.a), counts(items[1], classes, 1, &gap.b)];
        let mut kinds: Vec<Kind> = counted.iter().flatten().map(|(kind, ..)| *kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            let of_kind = [0, 1].map(|side: usize| {
                let own = counted[side].iter().filter(|(own, ..)| *own == kind);
                own.map(|(_, class, count)| (*class, *count)).collect::<Vec<(u32, u64)>>()
            });
            if of_kind.iter().any(|side| side.len() > MAX_KINDS) {
                continue;
            }
            let signature =
                of_kind.clone().map(|side| side.into_iter().map(|(class, _)| class).collect::<Vec<u32>>());
            let sums = found
                .entry((kind, signature))
                .or_insert_with(|| of_kind.clone().map(|side| vec![0; side.len()]));
            for (sums, counts) in sums.iter_mut().zip(&of_kind) {
                sums.iter_mut().zip(counts).for_each(|(sum, (_, count))| *sum += count);
            }
        }
    }
    let totals = totals(items, classes);
    let mut splits = Vec::new();
    for ((_, [of_a, of_b]), [sums_a, sums_b]) in found {
        let all = of_a.iter().zip(&sums_a).chain(of_b.iter().zip(&sums_b));
        let is_mostly_here = all.clone().all(|(class, sum)| *sum * 100 >= totals[*class as usize] * MOSTLY);
        let are_equally_often = all.clone().all(|(_, sum)| Some(sum) == sums_a.first());
        let may_be = is_mostly_here && !of_a.is_empty() && !of_b.is_empty();
        match (of_a.len(), of_b.len()) {
            _ if !may_be => {}
            (1, 1) if are_about_as_often(sums_a[0], sums_b[0]) => {
                classes.join(of_a[0], of_b[0], Likeness::Renamed);
            }
            (1, 1) => {}
            (one, other) if one == other && sums_a == sums_b => {
                of_a.iter().zip(&of_b).for_each(|(a, b)| classes.join(*a, *b, Likeness::Renamed));
            }
            (1, _) | (_, 1) if are_equally_often => splits.push(Split { classes: [of_a, of_b] }),
            _ => {}
        }
    }
    splits
}

pub(super) fn are_about_as_often(one: u64, other: u64) -> bool {
    one.min(other) * 100 >= one.max(other) * MOSTLY
}

/// Returns the classes that are on one side only, in a part of the items: kind, class and count, in the order of their
/// first commands.
fn counts(items: &Items, classes: &Classes, side: usize, part: &Range<u32>) -> Vec<(Kind, u32, u64)> {
    cancel::spend(part.len());
    let mut counts: Vec<(Kind, u32, u64)> = Vec::new();
    for item in part.clone() {
        let key = items.key[item as usize];
        let class = classes.of_key[side][key as usize];
        if classes.list[class as usize].keys[1 - side].is_some() {
            continue;
        }
        match counts.iter().position(|known| known.1 == class) {
            Some(place) => counts[place].2 += 1,
            // A long list is not explained anyway: it may stay incomplete.
            None if counts.len() > MAX_KINDS * NodeKind::ALL.len() => {}
            None => counts.push((kind_of(&items.keys[key as usize]), class, 1)),
        }
    }
    counts
}

/// Returns the count of each class, on both sides together.
fn totals(items: [&Items; 2], classes: &Classes) -> Vec<u64> {
    let mut totals = vec![0; classes.list.len()];
    for side in 0..2 {
        items[side].key.iter().for_each(|key| totals[classes.of_key[side][*key as usize] as usize] += 1);
    }
    totals
}
