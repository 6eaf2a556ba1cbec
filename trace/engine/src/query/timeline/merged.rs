//! Lanes that a track does not store: laid out without overlaps, and merged to buckets in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use syclscope_language::question::TileKey;

use crate::cancel::Steps;

pub(in crate::query) struct Group {
    /// The row that represents the group.
    pub(in crate::query) longest: u32,
    pub(in crate::query) count: u32,
    pub(in crate::query) total_ns: u64,
    pub(in crate::query) matching: u32,
}

/// Lays out rows, sorted by start, on lanes without overlaps: each on the lane that has been free for longest, else on
/// a new one.
pub(in crate::query) fn lanes_of(
    rows: impl IntoIterator<Item = u32>,
    span: impl Fn(u32) -> (u64, u64),
) -> Vec<Vec<u32>> {
    let mut lanes: Vec<Vec<u32>> = Vec::new();
    let mut free: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for row in rows {
        let (start, end) = span(row);
        let lane = match free.peek() {
            Some(Reverse((end, lane))) if *end <= start => {
                let lane = *lane;
                free.pop();
                lane
            }
            _ => {
                lanes.push(Vec::new());
                lanes.len() - 1
            }
        };
        free.push(Reverse((end, lane)));
        lanes[lane].push(row);
    }
    lanes
}

/// Calls `show` with the rows of a lane in the tile's range, short ones merged with those that start in the same
/// bucket. `time` returns a row's start and duration. Walks over the rows in the range.
pub(in crate::query) fn merged(
    rows: &[u32],
    key: TileKey,
    time: impl Fn(u32) -> (u64, u64),
    mut is_match: impl FnMut(u32) -> bool,
    mut show: impl FnMut(Group),
) {
    let (from, to) = key.span_ns();
    let bucket_ns = key.bucket_ns();
    let first = rows.partition_point(|row| time(*row).0 < from);
    let end = rows.partition_point(|row| time(*row).0 < to);
    let mut alone = |row: u32, total_ns: u64| Group {
        longest: row,
        count: 1,
        total_ns,
        matching: u32::from(is_match(row)),
    };
    // Only the last row before the range may reach into it. A short one is merged where it starts.
    if let Some(row) = first.checked_sub(1).map(|before| rows[before]) {
        let (start, duration) = time(row);
        if duration >= bucket_ns && start.saturating_add(duration) > from {
            show(alone(row, duration));
        }
    }
    let mut pending: Option<(u64, u64, Group)> = None;
    let mut steps = Steps::default();
    for row in &rows[first..end.max(first)] {
        steps.add(1);
        let (start, duration) = time(*row);
        let (bucket, alone) = (start / bucket_ns, alone(*row, duration));
        match &mut pending {
            Some((of, longest, group)) if *of == bucket && duration < bucket_ns => {
                if duration > *longest {
                    (*longest, group.longest) = (duration, *row);
                }
                group.count += 1;
                group.matching += alone.matching;
                group.total_ns = group.total_ns.saturating_add(duration);
            }
            pending => {
                if let Some((_, _, group)) = pending.take() {
                    show(group);
                }
                if duration < bucket_ns {
                    *pending = Some((bucket, duration, alone));
                } else {
                    show(alone);
                }
            }
        }
    }
    if let Some((_, _, group)) = pending {
        show(group);
    }
}
