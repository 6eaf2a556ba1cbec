//! How busy a track is, bucket by bucket: a look-up a lane and bucket, whatever the number of slices.

use crate::api::DensityTile;
use crate::event::{Category, TrackKind};
use crate::source::{TILE_BUCKETS, TileKey};
use crate::store::slices::Slices;
use crate::store::tracks::TrackRow;

/// What a bucket holds.
#[derive(Clone, Copy, Default)]
struct Bucket {
    busy_ns: u64,
    count: u32,
    /// Duration and category of the longest slice.
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

/// How busy a track is in the tile's span.
pub(super) fn tile(slices: &Slices, track: &TrackRow, key: TileKey) -> DensityTile {
    let lanes = if track.kind == TrackKind::Queue { track.lanes } else { track.lanes.min(1) };
    let mut buckets = vec![Bucket::default(); TILE_BUCKETS as usize];
    for lane in track.first_lane..track.first_lane.saturating_add(lanes) {
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
        // The slice before reaches into the bucket, and may be alone in it.
        if let Some(before) = row.checked_sub(1).map(|before| rows.start + before)
            && slices.end(before) > from
        {
            bucket.busy_ns += slices.end(before).min(to) - from;
            bucket.consider(slices, before);
        }
        let next = row + within(&starts[row..], to);
        if next > row {
            let all = rows.start + row..rows.start + next;
            // Only the last one can reach beyond the bucket.
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

/// How many of some starts lie before a moment.
fn within(starts: &[u64], to: u64) -> usize {
    let mut step = 1;
    while starts.get(step - 1).is_some_and(|start| *start < to) {
        step *= 2;
    }
    let from = step / 2;
    let upto = starts.len().min(step);
    from.min(upto) + starts[from.min(upto)..upto].partition_point(|start| *start < to)
}
