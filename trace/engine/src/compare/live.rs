//! Memory over time: live memory at corresponding moments of both sides, and the differences at one of them.

use std::ops::Deref;

use syclscope_language::api::{Anchor, LiveMemory, MemoryMoment};
use syclscope_language::question::CompareSide;

use super::Comparing;
use super::memory::{self, Allocations};
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of listed moments.
const MAX_MOMENTS: usize = 400;

impl<T: Deref<Target = Trace>> Comparing<T> {
    /// Returns live memory at matched times, and the source locations that differ at one of them: the matched time of
    /// `at`, or else the time of the largest difference. Sorts allocations and matched commands by time.
    pub fn live(&self, at: Option<(CompareSide, u64)>, limit: usize) -> LiveMemory {
        let traces = self.traces();
        let live = traces.map(Live::new);
        let anchors = self.all_anchors();
        let moment = |[a_ns, b_ns]: [u64; 2]| MemoryMoment {
            a_ns,
            b_ns,
            a_bytes: live[0].bytes_at(a_ns),
            b_bytes: live[1].bytes_at(b_ns),
            is_interpolated: false,
        };
        // Moments between anchors are interpolated.
        let between = |side: usize, at_ns: u64| {
            let [a_ns, b_ns] = across(anchors, side, at_ns);
            let is_interpolated = !anchors.contains(&Anchor { a_ns, b_ns });
            MemoryMoment { is_interpolated, ..moment([a_ns, b_ns]) }
        };
        let mut all: Vec<MemoryMoment> =
            anchors.iter().map(|anchor| moment([anchor.a_ns, anchor.b_ns])).collect();
        let difference = |moment: &&MemoryMoment| moment.a_bytes.abs_diff(moment.b_bytes);
        // The first of several equal ones, preferring anchors to interpolated moments.
        let largest = all.iter().rev().max_by_key(difference).copied();
        // A peak may lie between two commands, and is the moment of most interest.
        all.extend(
            [0, 1].map(|side: usize| {
                between(side, memory::peak(traces[side], &self.matching.items[side].range))
            }),
        );
        all.arrange_by_key(|moment| (moment.a_ns, moment.b_ns));
        let at = match at {
            Some((side, ns)) => {
                let side = usize::from(side == CompareSide::B);
                // Of moments that coincide on this side, the one with the largest difference.
                let is_there = |moment: &&MemoryMoment| [moment.a_ns, moment.b_ns][side] == ns;
                let known = all.iter().rev().filter(is_there).max_by_key(difference).copied();
                known.unwrap_or_else(|| between(side, ns))
            }
            None => largest.or_else(|| all.first().copied()).unwrap_or_default(),
        };
        let mut places = self.memory(Allocations::LiveAt([at.a_ns, at.b_ns]));
        let more_places = places.len().saturating_sub(limit) as u64;
        places.truncate(limit);
        let most = |moment: &&MemoryMoment| moment.a_bytes.max(moment.b_bytes);
        let stretches = all.chunks(all.len().div_ceil(MAX_MOMENTS).max(1));
        let moments = stretches.filter_map(|stretch| stretch.iter().max_by_key(most).copied()).collect();
        LiveMemory { moments, at, places, more_places }
    }
}

/// Allocated and released bytes, each by time with cumulative sums.
struct Live {
    made: Vec<(u64, u64)>,
    released: Vec<(u64, u64)>,
}

impl Live {
    fn new(trace: &Trace) -> Self {
        let rows = || trace.allocations.iter();
        Self {
            made: summed(rows().map(|row| (row.at, row.size_bytes)).collect()),
            released: summed(rows().filter_map(|row| Some((row.released?, row.size_bytes))).collect()),
        }
    }

    fn bytes_at(&self, at_ns: u64) -> u64 {
        let sum = |changes: &[(u64, u64)]| {
            let after = changes.partition_point(|(at, _)| *at <= at_ns);
            changes[..after].last().map_or(0, |(_, sum)| *sum)
        };
        sum(&self.made).saturating_sub(sum(&self.released))
    }
}

fn summed(mut changes: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    changes.sort_unstable();
    let mut sum = 0_u64;
    for (_, bytes) in &mut changes {
        sum = sum.saturating_add(*bytes);
        *bytes = sum;
    }
    changes
}

/// Returns a moment of one side and the corresponding one of the other, interpolated between two anchors.
fn across(anchors: &[Anchor], side: usize, at_ns: u64) -> [u64; 2] {
    let both = |anchor: &Anchor| [anchor.a_ns, anchor.b_ns];
    let after = anchors.partition_point(|anchor| both(anchor)[side] <= at_ns);
    let other = match (anchors[..after].last().map(both), anchors.get(after).map(both)) {
        (Some(before), Some(after)) => {
            let [own, other] = [side, 1 - side].map(|side| after[side].saturating_sub(before[side]));
            let part = u128::from(at_ns - before[side]) * u128::from(other) / u128::from(own.max(1));
            before[1 - side] + part as u64
        }
        (Some(last), None) => last[1 - side],
        (None, _) => 0,
    };
    if side == 0 { [at_ns, other] } else { [other, at_ns] }
}
