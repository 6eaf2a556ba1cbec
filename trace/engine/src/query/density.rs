//! Density of a track by bucket: a lookup per lane and bucket, whatever the number of slices. With a filter, every slice
//! of the tile is visited.

use syclscope_language::api::DensityTile;
use syclscope_language::event::{Category, TrackKind};
use syclscope_language::question::{TILE_BUCKETS, TileKey};

use crate::query::matcher::Matcher;
use crate::store::Trace;
use crate::store::slices::Slices;
use crate::store::tracks::TrackRow;

#[derive(Clone, Copy, Default)]
struct Bucket {
    busy_ns: u64,
    count: u32,
    longest: Option<(u64, Category)>,
}

impl Bucket {
    fn consider(&mut self, slices: &Slices, row: usize) {
        let duration = slices.duration[row];
        if self.longest.is_none_or(|(longest, _)| duration > longest) {
            self.longest = Some((duration, slices.category(row)));
        }
    }
}

/// Returns the counted lanes: all of a queue, only the outermost of other tracks.
fn lanes(track: &TrackRow) -> std::ops::Range<u32> {
    let lanes = if track.kind == TrackKind::Queue { track.lanes } else { track.lanes.min(1) };
    track.first_lane..track.first_lane.saturating_add(lanes)
}

/// For each bucket, counts the slices that match the filter and overlap it. Visits each slice of the tile.
pub(super) fn mark(
    trace: &Trace,
    track: &TrackRow,
    key: TileKey,
    tile: &mut DensityTile,
    matcher: &mut Matcher<'_>,
) {
    let (from, to) = key.span_ns();
    let mut matching = vec![0_u32; TILE_BUCKETS as usize];
    for lane in lanes(track) {
        let rows = trace.slices.lane(lane as usize);
        let starts = &trace.slices.start[rows.clone()];
        // The previous slice may overlap the tile.
        let first = starts.partition_point(|start| *start < from).saturating_sub(1);
        let end = starts.partition_point(|start| *start < to);
        for row in rows.start + first..rows.start + end.max(first) {
            let (start, end) = (trace.slices.start[row], trace.slices.end(row));
            if (start < from && end <= from) || !matcher.is_match(row, key.track) {
                continue;
            }
            let bucket = |at: u64| ((at.clamp(from, to - 1) - from) / key.bucket_ns()) as usize;
            for count in &mut matching[bucket(start)..=bucket(end.saturating_sub(1).max(start))] {
                *count += 1;
            }
        }
    }
    tile.matching = tile.bucket.iter().map(|bucket| matching[usize::from(*bucket)]).collect();
}

pub(super) fn tile(slices: &Slices, track: &TrackRow, key: TileKey) -> DensityTile {
    let mut buckets = vec![Bucket::default(); TILE_BUCKETS as usize];
    for lane in lanes(track) {
        fill(slices, lane as usize, key, &mut buckets);
    }
    let mut tile = DensityTile::default();
    for (number, bucket) in buckets.iter().enumerate() {
        if let Some((_, category)) = bucket.longest {
            tile.bucket.push(number as u16);
            tile.busy_ns.push(bucket.busy_ns);
            tile.count.push(bucket.count);
            tile.category.push(category);
        }
    }
    tile
}

fn fill(slices: &Slices, lane: usize, key: TileKey, buckets: &mut [Bucket]) {
    let rows = slices.lane(lane);
    let starts = &slices.start[rows.clone()];
    let (mut from, _) = key.span_ns();
    let mut row = starts.partition_point(|start| *start < from);
    for bucket in buckets {
        let to = from.saturating_add(key.bucket_ns());
        // The previous slice overlaps the bucket, and may be the only one.
        if let Some(before) = row.checked_sub(1).map(|before| rows.start + before)
            && slices.end(before) > from
        {
            bucket.busy_ns += slices.end(before).min(to) - from;
            bucket.consider(slices, before);
        }
        let next = row + within(&starts[row..], to);
        if next > row {
            let all = rows.start + row..rows.start + next;
            // Only the last one can extend beyond the bucket.
            let beyond = slices.end(all.end - 1).saturating_sub(to);
            bucket.busy_ns += slices.sums.sum(&slices.duration, all.clone()).saturating_sub(beyond);
            bucket.count += (next - row) as u32;
            bucket.consider(slices, slices.longest.position(&slices.duration, all));
        }
        if next == starts.len() && slices.end(rows.end.saturating_sub(1)) <= to {
            return;
        }
        (row, from) = (next, to);
    }
}

/// Returns the number of starts before a moment.
fn within(starts: &[u64], to: u64) -> usize {
    let mut step = 1;
    while starts.get(step - 1).is_some_and(|start| *start < to) {
        step *= 2;
    }
    let from = step / 2;
    let upto = starts.len().min(step);
    from.min(upto) + starts[from.min(upto)..upto].partition_point(|start| *start < to)
}
