//! The order of items in their layers, so that few segments cross. Each sweep moves items to their barycentres
//! (Sugiyama et al., 1981), then swaps neighbours if that reduces crossings (Eades and Kelly, 1986). The best order of
//! all sweeps is used.
//!
//! Nodes of a previous drawing keep their order, and only new ones are placed.

use syclscope_language::sorting::Sorting as _;

use super::items::Items;

/// Limit of the work of all sweeps together, in items and segments.
const SWEEP_WORK: usize = 3_000_000;
const SWEEPS: (usize, usize) = (4, 24);
/// Number of sweeps without a gain before stopping.
const PATIENCE: usize = 4;
/// Maximum number of items for which neighbours are swapped, and the number of passes over each layer.
const SWITCHED_ITEMS: usize = 6_000;
const SWITCHES: usize = 6;

/// Orders the items of every layer; `before` has the previous horizontal position of each item, if any.
pub(super) fn order(items: &mut Items, before: &[Option<i32>]) {
    let mut state = State::new(items, before);
    if before.iter().any(Option::is_some) {
        // Places the new items.
        state.sweep(items, before, true);
    }
    let mut fewest = state.crossings.of_all(items, &state.place);
    let mut best = items.layers.clone();
    let sweeps = (SWEEP_WORK / (items.len() + items.segments.len()).max(1)).clamp(SWEEPS.0, SWEEPS.1);
    let mut since = 0;
    for sweep in 0..sweeps {
        if fewest == 0 || since >= PATIENCE {
            break;
        }
        state.sweep(items, before, sweep % 2 == 0);
        if items.len() <= SWITCHED_ITEMS {
            state.switch(items, before);
        }
        let crossings = state.crossings.of_all(items, &state.place);
        since += 1;
        if crossings < fewest {
            (fewest, since) = (crossings, 0);
            best.clone_from(&items.layers);
        }
    }
    items.layers = best;
}

struct State {
    /// Index of each item in its layer.
    place: Vec<u32>,
    crossings: Crossings,
    keyed: Vec<(u64, u32, u32)>,
}

impl State {
    fn new(items: &mut Items, before: &[Option<i32>]) -> Self {
        if before.iter().any(Option::is_some) {
            for layer in &mut items.layers {
                // The sort is stable: items without a previous position are initially on the right.
                layer.arrange_by_key(|item| before[*item as usize].unwrap_or(i32::MAX));
            }
        } else {
            first_order(items);
        }
        let mut state =
            Self { place: vec![0; items.len()], crossings: Crossings::default(), keyed: Vec::new() };
        for layer in &items.layers {
            state.number(layer);
        }
        state
    }

    fn number(&mut self, layer: &[u32]) {
        for (place, item) in layer.iter().enumerate() {
            self.place[*item as usize] = place as u32;
        }
    }

    /// Moves each item to the barycentre of its neighbours in the previous layer, layer by layer, down or up.
    fn sweep(&mut self, items: &mut Items, before: &[Option<i32>], is_down: bool) {
        let count = items.layers.len();
        for step in 1..count {
            let number = if is_down { step } else { count - 1 - step };
            let mut layer = std::mem::take(&mut items.layers[number]);
            self.keyed.clear();
            for (place, item) in layer.iter().enumerate() {
                let (sum, degree) =
                    if is_down { self.sum(items.above(*item)) } else { self.sum(items.below(*item)) };
                // The mean position with sixteen fractional bits, if the item has neighbours.
                let mean = (sum << 16).checked_div(degree);
                self.keyed.extend(mean.map(|mean| (mean, place as u32, *item)));
            }
            let mut places: Vec<u32> = self.keyed.iter().map(|(_, place, _)| *place).collect();
            self.keyed.sort_unstable();
            places.sort_unstable();
            // Items without neighbours stay; the others share the remaining positions.
            for (place, (_, _, item)) in places.iter().zip(&self.keyed) {
                layer[*place as usize] = *item;
            }
            keep_order(&mut layer, before);
            self.number(&layer);
            items.layers[number] = layer;
        }
    }

    fn sum(&self, others: impl Iterator<Item = u32>) -> (u64, u64) {
        others.fold((0, 0), |(sum, degree), other| (sum + u64::from(self.place[other as usize]), degree + 1))
    }

    /// Swaps neighbours if that reduces crossings.
    fn switch(&mut self, items: &mut Items, before: &[Option<i32>]) {
        for _ in 0..SWITCHES {
            let mut has_changed = false;
            for number in 0..items.layers.len() {
                for right in 1..items.layers[number].len() {
                    let (a, b) = (items.layers[number][right - 1], items.layers[number][right]);
                    if before[a as usize].is_some() && before[b as usize].is_some() {
                        continue;
                    }
                    let (now, then) = self.crossings_of(items, a, b);
                    if then < now {
                        items.layers[number].swap(right - 1, right);
                        self.place.swap(a as usize, b as usize);
                        has_changed = true;
                    }
                }
            }
            if !has_changed {
                break;
            }
        }
    }

    /// Counts the crossings of the segments of two neighbours, in the present order and swapped.
    fn crossings_of(&self, items: &Items, a: u32, b: u32) -> (u64, u64) {
        let mut crossings = (0, 0);
        let mut count = |left: &mut dyn Iterator<Item = u32>, right: &dyn Fn() -> Vec<u32>| {
            let right = right();
            for one in left {
                let one = self.place[one as usize];
                for other in &right {
                    let other = self.place[*other as usize];
                    crossings.0 += u64::from(one > other);
                    crossings.1 += u64::from(one < other);
                }
            }
        };
        count(&mut items.above(a), &|| items.above(b).collect());
        count(&mut items.below(a), &|| items.below(b).collect());
        crossings
    }
}

/// Restores the order of the items of the previous drawing, within their positions.
fn keep_order(layer: &mut [u32], before: &[Option<i32>]) {
    let known = |item: &u32| before[*item as usize].map(|x| (x, *item));
    let mut kept: Vec<(i32, u32)> = layer.iter().filter_map(known).collect();
    if kept.len() < 2 {
        return;
    }
    kept.sort_unstable();
    let places = layer.iter_mut().filter(|item| before[**item as usize].is_some());
    for (place, (_, item)) in places.zip(kept) {
        *place = item;
    }
}

/// Puts the items in the order of a walk from the top, so that connected items are adjacent.
fn first_order(items: &mut Items) {
    let mut is_met = vec![false; items.len()];
    let mut layers: Vec<Vec<u32>> =
        items.layers.iter().map(|layer| Vec::with_capacity(layer.len())).collect();
    let mut next = Vec::new();
    for layer in &items.layers {
        for first in layer {
            if std::mem::replace(&mut is_met[*first as usize], true) {
                continue;
            }
            next.push(*first);
            while let Some(item) = next.pop() {
                layers[items.layer[item as usize] as usize].push(item);
                let met = next.len();
                for other in items.below(item) {
                    if !std::mem::replace(&mut is_met[other as usize], true) {
                        next.push(other);
                    }
                }
                next[met..].reverse();
            }
        }
    }
    items.layers = layers;
}

/// Counter of crossings between two layers, by a tree of counts over the lower one (Barth, Jünger and Mutzel, 2002).
/// The memory is reused from layer to layer.
#[derive(Default)]
pub(super) struct Crossings {
    tree: Vec<u32>,
    ends: Vec<u32>,
}

impl Crossings {
    /// Returns the number of crossings between all layers. `place` is the index of each item in its layer.
    pub(super) fn of_all(&mut self, items: &Items, place: &[u32]) -> u64 {
        (1..items.layers.len()).map(|lower| self.above(items, place, lower)).sum()
    }

    fn above(&mut self, items: &Items, place: &[u32], lower: usize) -> u64 {
        let width = items.layers[lower].len();
        let leaves = width.next_power_of_two();
        self.tree.clear();
        self.tree.resize(2 * leaves, 0);
        let mut crossings = 0_u64;
        for upper in &items.layers[lower - 1] {
            self.ends.clear();
            self.ends.extend(items.below(*upper).map(|item| place[item as usize]));
            self.ends.sort_unstable();
            for end in &self.ends {
                let mut at = leaves + *end as usize;
                self.tree[at] += 1;
                while at > 1 {
                    // Earlier segments that end further right started further left, so that they cross this one.
                    if at.is_multiple_of(2) {
                        crossings += u64::from(self.tree[at + 1]);
                    }
                    at /= 2;
                    self.tree[at] += 1;
                }
            }
        }
        crossings
    }
}
