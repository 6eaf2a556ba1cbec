//! Number of crossings between two layers (Barth, Jünger and Mutzel, 2002: a tree of counts over the lower layer).

use super::items::Items;

/// Counts crossings; reuses its memory from layer to layer.
#[derive(Default)]
pub(super) struct Crossings {
    tree: Vec<u32>,
    ends: Vec<u32>,
}

impl Crossings {
    /// Crossings between all layers; `place` is the index of each item in its layer.
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
                    // Segments that end to the right of here started to the left.
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
