//! Horizontal positions of items, given their order.
//!
//! The priority method of Sugiyama et al. (1981) as sweeps that place each layer as near as its order and distances
//! allow to the positions that its segments pull it to. "As near" means the least sum of weighted squares, found by
//! pooling neighbours that are in each other's way (isotonic regression; Ayer et al., 1955). Segments between bends
//! pull most, as in Gansner et al. (1993), so that long links are straight; those from a bend to a node pull least, so
//! that chains of nodes are straight too.
//!
//! All numbers are integers, so that every machine computes the same positions.

use super::items::Items;
use super::{BEND_GAP, NODE_GAP};

/// Number of sweeps before the last one, which uses the layers above and below together.
const SWEEPS: usize = 8;
/// Weight of a segment by its number of bends: none, one or two.
const PULLS: [i64; 3] = [4, 1, 16];
/// Weight of a node's previous position.
const BEFORE: i64 = 1 << 12;

/// Returns the centre of each item. `width` has the width of each node; `before` the previous position of each item, if
/// any.
pub(super) fn place(items: &Items, width: &[i32], before: &[Option<i32>]) -> Vec<i32> {
    let width_of = |item: u32| width.get(item as usize).copied().unwrap_or(0);
    let distance = |left: u32, right: u32| {
        let gap = if items.is_bend(left) || items.is_bend(right) { BEND_GAP } else { NODE_GAP };
        // Halves are rounded up, so that distances are at least the gap.
        (width_of(left) + width_of(right) + 1) / 2 + gap
    };
    // Minimum distance of each item from the first of its layer.
    let offsets: Vec<Vec<i64>> = items
        .layers
        .iter()
        .map(|layer| {
            let mut at = 0_i64;
            let mut last: Option<u32> = None;
            let place = |item: &u32| {
                if let Some(last) = last.replace(*item) {
                    at += i64::from(distance(last, *item));
                }
                at
            };
            layer.iter().map(place).collect()
        })
        .collect();
    let mut x = first_places(items, &offsets, before);
    let mut pools = Vec::new();
    for sweep in 0..=SWEEPS {
        let (use_above, use_below) = (sweep % 2 == 0 || sweep == SWEEPS, sweep % 2 == 1 || sweep == SWEEPS);
        let count = items.layers.len();
        for step in 0..count {
            let number = if use_above { step } else { count - 1 - step };
            let layer = &items.layers[number];
            let wanted = |item: u32, x: &[i32]| {
                if let Some(before) = before[item as usize] {
                    return (i64::from(before), BEFORE);
                }
                let (mut sum, mut weight) = (0, 0);
                let mut pull = |other: u32| {
                    let bends = usize::from(items.is_bend(item)) + usize::from(items.is_bend(other));
                    sum += PULLS[bends] * i64::from(x[other as usize]);
                    weight += PULLS[bends];
                };
                if use_above {
                    items.above(item).for_each(&mut pull);
                }
                if use_below {
                    items.below(item).for_each(&mut pull);
                }
                if weight == 0 { (i64::from(x[item as usize]), 1) } else { (sum.div_euclid(weight), weight) }
            };
            pool(
                layer.iter().zip(&offsets[number]).map(|(item, offset)| {
                    let (wanted, weight) = wanted(*item, &x);
                    (wanted - offset, weight)
                }),
                &mut pools,
            );
            let mut rest = layer.iter().zip(&offsets[number]);
            for pool in &pools {
                let start = pool.sum.div_euclid(pool.weight);
                for (item, offset) in rest.by_ref().take(pool.count) {
                    x[*item as usize] = narrow(start + offset);
                }
            }
        }
    }
    straighten(items, &distance, &mut x);
    x
}

/// Straightens lines over as many layers as the space between their neighbours allows; nothing else moves.
fn straighten(items: &Items, distance: &dyn Fn(u32, u32) -> i32, x: &mut [i32]) {
    let mut place = vec![0_usize; items.len()];
    for layer in &items.layers {
        for (at, item) in layer.iter().enumerate() {
            place[*item as usize] = at;
        }
    }
    let room = |item: u32, x: &[i32]| {
        let layer = &items.layers[items.layer[item as usize] as usize];
        let at = place[item as usize];
        let left = at.checked_sub(1).and_then(|left| layer.get(left));
        let right = layer.get(at + 1);
        let from = left.map_or(i32::MIN, |left| x[*left as usize] + distance(*left, item));
        (from, right.map_or(i32::MAX, |right| x[*right as usize] - distance(item, *right)))
    };
    for line in &items.lines {
        let mut rest = line.as_slice();
        while let [first, others @ ..] = rest {
            let (mut from, mut to) = room(*first, x);
            let mut together = 1;
            for bend in others {
                let (left, right) = room(*bend, x);
                if from.max(left) > to.min(right) {
                    break;
                }
                (from, to) = (from.max(left), to.min(right));
                together += 1;
            }
            // The item fits at its present position, so that `from <= to`.
            let straight = x[rest[together / 2] as usize].max(from).min(to);
            for bend in &rest[..together] {
                x[*bend as usize] = straight;
            }
            rest = &rest[together..];
        }
    }
}

/// Returns initial positions: each layer centred at 0, or the previous positions.
fn first_places(items: &Items, offsets: &[Vec<i64>], before: &[Option<i32>]) -> Vec<i32> {
    let mut x = vec![0; items.len()];
    for (layer, offsets) in items.layers.iter().zip(offsets) {
        let middle = offsets.last().copied().unwrap_or(0) / 2;
        for (item, offset) in layer.iter().zip(offsets) {
            x[*item as usize] = before[*item as usize].unwrap_or(narrow(offset - middle));
        }
    }
    x
}

/// Items that are in each other's way, and their common preferred position.
struct Pool {
    sum: i64,
    weight: i64,
    count: usize,
}

/// Replaces values by the nearest non-decreasing ones: neighbours in the wrong order take their common mean.
fn pool(values: impl Iterator<Item = (i64, i64)>, pools: &mut Vec<Pool>) {
    pools.clear();
    for (value, weight) in values {
        let mut new = Pool { sum: value * weight, weight, count: 1 };
        while let Some(last) = pools.pop_if(|last| {
            // Compares means without division: the sums stay far below 2^63, their products may not.
            i128::from(last.sum) * i128::from(new.weight) >= i128::from(new.sum) * i128::from(last.weight)
        }) {
            new = Pool {
                sum: last.sum + new.sum,
                weight: last.weight + new.weight,
                count: last.count + new.count,
            };
        }
        pools.push(new);
    }
}

/// Clamps a coordinate to at most 2^30 on either side of 0.
fn narrow(value: i64) -> i32 {
    value.clamp(-(1 << 30), 1 << 30) as i32
}
