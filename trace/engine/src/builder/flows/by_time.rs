//! Lookup of the slices that flows refer to by time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use syclscope_language::event::FlowBinding;

use crate::store::slices::Slices;
use crate::store::tracks::TrackRow;

/// Up to this many lanes, each time is looked up in each lane. With more, the track's slices are scanned once.
const MAX_LOOKED_UP_LANES: u32 = 16;

/// Returns the slice for each time: the next one for [`FlowBinding::Next`], else the innermost one around the time.
pub(super) fn bound(slices: &Slices, track: &TrackRow, moments: &[(u64, FlowBinding)]) -> Vec<Option<u32>> {
    if track.lanes <= MAX_LOOKED_UP_LANES {
        return moments.iter().map(|(at, binding)| looked_up(slices, track, *at, *binding)).collect();
    }
    walked(slices, track, moments)
}

fn looked_up(slices: &Slices, track: &TrackRow, at: u64, binding: FlowBinding) -> Option<u32> {
    let lanes = track.lane_range().map(|lane| slices.lane(lane));
    if binding == FlowBinding::Next {
        let next = lanes.filter_map(|rows| {
            let row = rows.start + slices.start[rows.clone()].partition_point(|start| *start < at);
            rows.contains(&row).then_some(row)
        });
        return next.min_by_key(|row| slices.start[*row]).map(|row| row as u32);
    }
    let around = lanes.rev().filter_map(|rows| {
        let after = slices.start[rows.clone()].partition_point(|start| *start <= at);
        let row = rows.start + after.checked_sub(1)?;
        (slices.end(row) >= at).then_some(row as u32)
    });
    { around }.next()
}

fn walked(slices: &Slices, track: &TrackRow, moments: &[(u64, FlowBinding)]) -> Vec<Option<u32>> {
    // Rows ascend with lanes.
    let mut rows: Vec<(u64, u32, u32)> = track
        .lane_range()
        .flat_map(|lane| slices.lane(lane).map(move |row| (slices.start[row], row as u32, lane as u32)))
        .collect();
    rows.sort_unstable();
    let mut order: Vec<usize> = (0..moments.len()).collect();
    order.sort_by_key(|moment| moments[*moment].0);
    let mut bound = vec![None; moments.len()];
    // The open slice of each lane, and its end.
    let mut open: BTreeMap<u32, u32> = BTreeMap::new();
    let mut ends: BinaryHeap<Reverse<(u64, u32, u32)>> = BinaryHeap::new();
    let mut next = 0;
    for moment in order {
        let (at, binding) = moments[moment];
        if binding == FlowBinding::Next {
            let first = rows.partition_point(|(start, _, _)| *start < at);
            bound[moment] = rows.get(first).map(|(_, row, _)| *row);
            continue;
        }
        while let Some((_, row, lane)) = rows.get(next).filter(|(start, _, _)| *start <= at) {
            open.insert(*lane, *row);
            ends.push(Reverse((slices.end(*row as usize), *lane, *row)));
            next += 1;
        }
        while let Some(Reverse((_, lane, row))) = ends.peek().filter(|Reverse((end, _, _))| *end < at) {
            if open.get(lane) == Some(row) {
                open.remove(lane);
            }
            ends.pop();
        }
        bound[moment] = open.last_key_value().map(|(_, row)| *row);
    }
    bound
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::NONE;
    use crate::store::slices::SliceRow;
    use crate::store::table::Table as _;

    /// Returns a track with these lanes, each of gaps and durations.
    fn track(lanes: &[Vec<(u64, u64)>]) -> (Slices, TrackRow) {
        let mut slices = Slices::default();
        for lane in lanes {
            slices.lane_starts.push(slices.len() as u32);
            let mut at = 0;
            for (gap, duration) in lane {
                let start = at + gap;
                at = start + duration;
                slices.push(&SliceRow { start, end: at, node: NONE, ..SliceRow::default() });
            }
        }
        slices.lane_starts.push(slices.len() as u32);
        let lanes = lanes.len() as u32;
        let track = TrackRow { parent: NONE, lanes, counter: NONE, ..TrackRow::default() };
        (slices, track)
    }

    proptest! {
        #[test]
        fn walking_finds_what_looking_up_does(
            lanes in prop::collection::vec(prop::collection::vec((0..6_u64, 0..9_u64), 0..8), 1..9),
            moments in prop::collection::vec((0..60_u64, any::<bool>()), 0..40),
        ) {
            let (slices, track) = track(&lanes);
            let binding = |next| if next { FlowBinding::Next } else { FlowBinding::Enclosing };
            let moments: Vec<_> = moments.into_iter().map(|(at, next)| (at, binding(next))).collect();
            let expected: Vec<_> =
                moments.iter().map(|(at, binding)| looked_up(&slices, &track, *at, *binding)).collect();
            prop_assert_eq!(walked(&slices, &track, &moments), expected);
        }
    }
}
