//! Matching of commands that the order of their threads did not match, by their dependences, after Weisfeiler and
//! Lehman (1968).
//!
//! Each command has a colour: a matched command the colour of its pair, any other command the colour of its class. Each
//! round mixes into the colour of an unmatched command the colours of its neighbours, with the reason and the access of
//! each edge. Commands of one colour match if both sides have equally many of them.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};

use super::classes::Classes;
use super::items::Items;
use crate::cancel;
use crate::id::{NONE, some};
use crate::store::Trace;

/// Rounds of spreading colours.
const ROUNDS: usize = 3;
/// Passes of matching; each uses the results of the previous one.
const TIMES: usize = 2;

/// Maximum number of leftovers: with more, their neighbours are mostly leftovers too and don't help.
const MAX_LEFTOVERS: usize = 1 << 18;

/// Matches leftovers with an unambiguous partner.
pub(super) fn match_leftovers(
    traces: [&Trace; 2],
    items: [&Items; 2],
    classes: &Classes,
    partner: &mut [Vec<u32>; 2],
) {
    for _ in 0..TIMES {
        let left = [0, 1].map(|side: usize| unmatched(items[side], classes, &partner[side], side));
        if left.iter().any(Vec::is_empty) {
            return;
        }
        if left.iter().any(|left| left.len() > MAX_LEFTOVERS) {
            break;
        }
        let colours =
            [0, 1].map(|side: usize| colours(traces[side], items[side], classes, partner, side, &left[side]));
        let mut groups: FxHashMap<u64, [Vec<u32>; 2]> = FxHashMap::default();
        for side in 0..2 {
            for (item, colour) in left[side].iter().zip(&colours[side]) {
                groups.entry(*colour).or_default()[side].push(*item);
            }
        }
        if !pair_equally_many(groups.into_values(), partner) {
            break;
        }
    }
    // Moved commands, with other neighbours: a class is matched as a whole or not at all.
    let mut groups: FxHashMap<u32, [Vec<u32>; 2]> = FxHashMap::default();
    for side in 0..2 {
        for item in unmatched(items[side], classes, &partner[side], side) {
            let class = classes.of_key[side][items[side].key[item as usize] as usize];
            groups.entry(class).or_default()[side].push(item);
        }
    }
    pair_equally_many(groups.into_values(), partner);
}

/// Pairs, in order, the members of groups that are equally large on both sides; true if there were any.
fn pair_equally_many(groups: impl Iterator<Item = [Vec<u32>; 2]>, partner: &mut [Vec<u32>; 2]) -> bool {
    let mut is_any = false;
    for [a, b] in groups.filter(|[a, b]| a.len() == b.len()) {
        is_any = true;
        for (one, other) in a.into_iter().zip(b) {
            partner[0][one as usize] = other;
            partner[1][other as usize] = one;
        }
    }
    is_any
}

/// Returns the items without a partner whose class is on both sides.
fn unmatched(items: &Items, classes: &Classes, partner: &[u32], side: usize) -> Vec<u32> {
    let is_on_both = |item: &u32| {
        let class = classes.of_key[side][items.key[*item as usize] as usize];
        classes.list[class as usize].keys.iter().all(Option::is_some)
    };
    (0..items.len() as u32).filter(|item| partner[*item as usize] == NONE).filter(is_on_both).collect()
}

fn colours(
    trace: &Trace,
    items: &Items,
    classes: &Classes,
    partner: &[Vec<u32>; 2],
    side: usize,
    left: &[u32],
) -> Vec<u64> {
    let class = |item: u32| classes.of_key[side][items.key[item as usize] as usize];
    let place: FxHashMap<u32, usize> = left.iter().enumerate().map(|(place, item)| (*item, place)).collect();
    let mut colours: Vec<u64> = left.iter().map(|item| hash(&(1_u8, class(*item)))).collect();
    // The colour of a node that is no leftover does not change.
    let fixed = |node: u32| match items.of_node.get(node as usize).copied().and_then(some) {
        None => hash(&0_u8),
        Some(item) => match some(partner[side][item as usize]) {
            Some(_) if side == 0 => hash(&(2_u8, item)),
            Some(other) => hash(&(2_u8, other)),
            None => hash(&(1_u8, class(item))),
        },
    };
    for _ in 0..ROUNDS {
        let colour = |node: u32| {
            let item = items.of_node.get(node as usize).copied().and_then(some);
            item.and_then(|item| place.get(&item)).map_or_else(|| fixed(node), |place| colours[*place])
        };
        let mut next = Vec::with_capacity(left.len());
        for (item, own) in left.iter().zip(&colours) {
            cancel::row(*item as usize);
            let Some(node) = some(items.node[*item as usize]) else {
                next.push(*own);
                continue;
            };
            let mut sum = 0_u64;
            let mut add = |way: u8, edge: &crate::store::graph::EdgeRow, other: u32| {
                let mode = trace.strings.get(edge.access_mode);
                sum = sum.wrapping_add(hash(&(way, edge.reason as u8, mode, colour(other))));
            };
            trace.edges.incoming(node).for_each(|edge| add(0, &edge, edge.source));
            trace.edges.outgoing(node).for_each(|edge| add(1, &edge, edge.target));
            for accessor in trace.objects.accessors_of_node(node) {
                sum = sum.wrapping_add(hash(&(2_u8, trace.strings.get(accessor.mode))));
            }
            next.push(hash(&(own, sum)));
        }
        colours = next;
    }
    colours
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
