//! Assignment of slices to lanes, without overlaps within a lane.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::chunks::Chunks;
use crate::store::slices::SliceRow;

/// Sorted positions of a track's slices and the lane of each.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    pub(super) order: Vec<u32>,
    /// Lane of each slice, in the same order.
    pub(super) lane: Vec<u32>,
    pub(super) count: u32,
}

/// Assigns lanes by nesting depth: a slice is one lane below the innermost open one.
pub(super) fn by_depth(slices: &Chunks<SliceRow>) -> Lanes {
    // An outer slice starts no later and ends no earlier than an inner one.
    let order = sorted(slices, |_, slice| (slice.start, Reverse(slice.end)));
    let mut open: Vec<u64> = Vec::new();
    let mut lanes = Lanes::default();
    for row in &order {
        let slice = &slices[*row as usize];
        while open.last().is_some_and(|end| *end <= slice.start) {
            open.pop();
        }
        lanes.lane.push(open.len() as u32);
        open.push(slice.end);
        lanes.count = lanes.count.max(open.len() as u32);
    }
    Lanes { order, ..lanes }
}

/// Assigns lanes to executions that may overlap: each takes the first lane that is free at its start. Of executions
/// with the same start, those in pieces come first.
pub(super) fn first_free(slices: &Chunks<SliceRow>, in_pieces: impl Fn(u32) -> bool) -> Lanes {
    let order = sorted(slices, |row, slice| (slice.start, !in_pieces(row), slice.end));
    let mut busy: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    let mut lanes = Lanes::default();
    for row in &order {
        let slice = &slices[*row as usize];
        while let Some(Reverse((end, lane))) = busy.peek().copied()
            && end <= slice.start
        {
            busy.pop();
            free.push(Reverse(lane));
        }
        let lane = free.pop().map_or(lanes.count, |Reverse(lane)| lane);
        lanes.count = lanes.count.max(lane + 1);
        lanes.lane.push(lane);
        busy.push(Reverse((slice.end, lane)));
    }
    Lanes { order, ..lanes }
}

/// Returns positions ordered by a key. Equal keys keep the order of the file.
fn sorted<K: Ord>(slices: &Chunks<SliceRow>, key: impl Fn(u32, &SliceRow) -> K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..slices.len() as u32).collect();
    if !(0..).zip(slices.iter()).is_sorted_by_key(|(row, slice)| key(row, slice)) {
        order.sort_by_key(|row| key(*row, &slices[*row as usize]));
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::NONE;

    fn rows(bounds: &[(u64, u64)]) -> Chunks<SliceRow> {
        let row = |(start, end): &(u64, u64)| SliceRow {
            start: *start,
            end: *end,
            node: NONE,
            ..SliceRow::default()
        };
        bounds.iter().map(row).collect()
    }

    fn assert_no_overlap(slices: &Chunks<SliceRow>, lanes: &Lanes) {
        let mut ends = vec![0; lanes.count as usize];
        for (row, lane) in lanes.order.iter().zip(&lanes.lane) {
            let slice = &slices[*row as usize];
            let end = &mut ends[*lane as usize];
            assert!(*end <= slice.start, "{slice:?} overlaps in lane {lane}");
            *end = slice.end;
        }
    }

    #[test]
    fn inner_slices_lie_below_outer_ones() {
        let slices = rows(&[(0, 100), (10, 20), (20, 30), (22, 22), (100, 110)]);
        assert_eq!(by_depth(&slices).lane, [0, 1, 1, 2, 0]);
    }

    #[test]
    fn overlapping_executions_take_the_first_free_lane() {
        let slices = rows(&[(0, 10), (5, 20), (10, 12), (11, 15), (30, 31)]);
        assert_eq!(first_free(&slices, |_| false).lane, [0, 1, 0, 2, 0]);
    }

    proptest! {
        #[test]
        fn no_lane_holds_overlapping_slices(bounds in prop::collection::vec((0..60_u64, 0..20_u64), 0..80)) {
            let bounds: Vec<_> = bounds.into_iter().map(|(start, length)| (start, start + length)).collect();
            let slices = rows(&bounds);
            assert_no_overlap(&slices, &by_depth(&slices));
            assert_no_overlap(&slices, &first_free(&slices, |row| row % 3 == 0));
        }
    }
}
