//! Corresponding moments of both sides: starts of matched commands, and start and end of the runs.

use std::ops::Deref;

use syclscope_language::api::Anchor;
use syclscope_language::question::{CompareSide, PartOfSide};

use super::Comparing;
use super::align::longest_rising;
use crate::id::some;
use crate::store::Trace;

impl<T: Deref<Target = Trace>> Comparing<T> {
    /// Returns corresponding moments by time: all of them, or those of a part of one side's time. A part includes the
    /// nearest moments before and after it, so that each time in it lies between two moments. At most `limit` moments
    /// lie between the first and the last.
    ///
    /// The first call sorts all matched commands, and stores 16 bytes for each; later calls cost as much as their
    /// answer.
    pub fn anchors(&self, within: Option<PartOfSide>, limit: usize) -> Vec<Anchor> {
        let all = self.all_anchors();
        let found = match within {
            None => all,
            Some(PartOfSide { side, from_ns, to_ns }) => {
                let of = |both: &Anchor| if side == CompareSide::A { both.a_ns } else { both.b_ns };
                let after = |at_ns: u64| all.partition_point(|both| of(both) <= at_ns);
                let first = after(from_ns).saturating_sub(1);
                let last = after(to_ns.max(from_ns)).min(all.len() - 1);
                &all[first..=last]
            }
        };
        thinned(found, limit).collect()
    }

    pub(super) fn all_anchors(&self) -> &[Anchor] {
        self.anchors.get_or_init(|| self.find_anchors())
    }

    fn find_anchors(&self) -> Vec<Anchor> {
        let [a, b] = &self.matching.items;
        let begin = |side: usize, slice: u32| self.traces[side].slices.start.at(slice as usize);
        let mut moments: Vec<(u64, u64)> = Vec::new();
        for (item, other) in self.matching.partner[0].iter().enumerate() {
            let Some(other) = some(*other) else { continue };
            if let (Some(one), Some(other)) = (some(a.slice[item]), some(b.slice[other as usize])) {
                moments.push((begin(0, one), begin(1, other)));
            }
        }
        moments.sort_unstable();
        let rising = longest_rising(&moments);
        let end = (self.traces[0].duration_ns, self.traces[1].duration_ns);
        let all = std::iter::once((0, 0)).chain(rising).chain([end]);
        let mut anchors: Vec<Anchor> = all.map(|(a_ns, b_ns)| Anchor { a_ns, b_ns }).collect();
        anchors.dedup();
        anchors.shrink_to_fit();
        anchors
    }
}

/// Returns the first and the last moment, and at most `limit` between, spread evenly.
fn thinned(moments: &[Anchor], limit: usize) -> impl Iterator<Item = Anchor> {
    let inner = moments.len().saturating_sub(2);
    let kept = inner.min(limit);
    // In 64 bits: the product may overflow a browser's 32-bit `usize`.
    let between = (0..kept).map(move |number| 1 + (number as u64 * inner as u64 / kept as u64) as usize);
    let last = (moments.len() > 1).then(|| moments.len() - 1);
    std::iter::once(0).chain(between).chain(last).map(|place| moments[place])
}
