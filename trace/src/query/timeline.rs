//! Tiles of a track's slices. A lane's cost is a search and a look-up a bucket that holds something, whatever
//! the number of slices.

use crate::api::{TileLane, TimelineTile};
use crate::hash::FastMap;
use crate::id::StringId;
use crate::source::TileKey;
use crate::store::Trace;
use crate::store::slices::Slices;
use crate::store::tracks::TrackRow;

/// The slices of a track in the tile's span.
pub(super) fn tile(trace: &Trace, track: &TrackRow, key: TileKey) -> TimelineTile {
    let mut tile = TimelineTile::default();
    let mut names = Names { trace, numbers: FastMap::default() };
    for lane in track.first_lane..track.first_lane + track.lanes {
        let mut shown = TileLane::default();
        fill(&trace.slices, trace.slices.lane(lane as usize), key, |merged| {
            let slices = &trace.slices;
            let row = merged.longest;
            shown.start_ns.push(slices.start[row]);
            shown.duration_ns.push(slices.duration[row]);
            shown.name.push(names.number(slices.name[row], &mut tile.names));
            shown.category.push(slices.category(row));
            shown.slice.push(row as u32);
            shown.count.push(merged.count);
            shown.total_ns.push(merged.total);
        });
        tile.lanes.push(shown);
    }
    tile
}

/// Slices that are shown as one.
struct Merged {
    longest: usize,
    count: u32,
    total: u64,
}

fn fill(slices: &Slices, lane: std::ops::Range<usize>, key: TileKey, mut show: impl FnMut(Merged)) {
    let bucket = key.bucket_ns();
    let (from, to) = key.span_ns();
    let starts = &slices.start[..lane.end];
    let mut row = lane.start + starts[lane.clone()].partition_point(|start| *start < from);
    // Slices of a lane don't overlap: only the one before can reach into the span. A short one is merged
    // with others in the tile that it starts in.
    if let Some(before) = row.checked_sub(1).filter(|before| *before >= lane.start)
        && slices.duration[before] >= bucket
        && slices.end(before) > from
    {
        show(Merged { longest: before, count: 1, total: slices.duration[before] });
    }
    while row < lane.end && starts[row] < to {
        let bucket_end = (starts[row] / bucket).saturating_add(1).saturating_mul(bucket);
        let mut end = gallop(starts, row, bucket_end);
        // A slice as long as a bucket is the last one that starts in it.
        let alone = Some(end - 1).filter(|last| slices.duration[*last] >= bucket);
        end -= usize::from(alone.is_some());
        if row < end {
            let longest = slices.longest.position(&slices.duration, row..end);
            let total = slices.sums.sum(&slices.duration, row..end);
            show(Merged { longest, count: (end - row) as u32, total });
        }
        if let Some(alone) = alone {
            show(Merged { longest: alone, count: 1, total: slices.duration[alone] });
            end += 1;
        }
        row = end;
    }
}

/// The first row from `row` on that starts at `limit` or later; `row` itself starts earlier.
fn gallop(starts: &[u64], row: usize, limit: u64) -> usize {
    let mut step = 1;
    let mut low = row;
    while let Some(start) = starts.get(low + step)
        && *start < limit
    {
        low += step;
        step *= 2;
    }
    let high = starts.len().min(low + step);
    low + 1 + starts[low + 1..high].partition_point(|start| *start < limit)
}

/// Numbers the names of a tile.
struct Names<'a> {
    trace: &'a Trace,
    numbers: FastMap<u32, u32>,
}

impl Names<'_> {
    fn number(&mut self, name: StringId, names: &mut Vec<String>) -> u32 {
        *self.numbers.entry(name.0).or_insert_with(|| {
            names.push(self.trace.strings.get(name).to_owned());
            names.len() as u32 - 1
        })
    }
}
