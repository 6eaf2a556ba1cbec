//! Tiles of a counter's samples.

use syclscope_language::api::CounterTile;
use syclscope_language::question::TileKey;

use crate::store::counters::Counters;

/// Returns the samples of a counter in the tile's range, one entry per non-empty bucket.
pub(super) fn tile(counters: &Counters, counter: u32, key: TileKey) -> CounterTile {
    let rows = counters.rows(counter);
    let bucket = key.bucket_ns();
    let (from, to) = key.span_ns();
    let mut row = rows.start + counters.at[rows.clone()].partition_point(|at| *at < from);
    let before = row.checked_sub(1).filter(|before| *before >= rows.start);
    let mut tile =
        CounterTile { before: before.map_or(0.0, |before| counters.value[before]), ..CounterTile::default() };
    while row < rows.end && counters.at[row] < to {
        let bucket_end = (counters.at[row] / bucket).saturating_add(1).saturating_mul(bucket);
        let end = row + counters.at[row..rows.end].partition_point(|at| *at < bucket_end).max(1);
        let spread = counters.forest.spread(&counters.at, &counters.value, row..end);
        let (min, max) = spread.map_or((0.0, 0.0), |spread| (spread.min, spread.max));
        tile.at_ns.push(counters.at[row]);
        tile.min.push(min);
        tile.max.push(max);
        tile.last.push(counters.value[end - 1]);
        let before = row.checked_sub(1).filter(|before| *before >= rows.start);
        tile.mean.push(mean(counters, before, row..end, (bucket_end.saturating_sub(bucket), bucket_end)));
        row = end;
    }
    tile
}

/// Returns the mean of a counter over a bucket, weighted by time.
fn mean(
    counters: &Counters,
    before: Option<usize>,
    rows: std::ops::Range<usize>,
    (bucket_start, bucket_end): (u64, u64),
) -> f64 {
    let (first, last) = (counters.at[rows.start], rows.end - 1);
    let inner = counters.forest.spread(&counters.at, &counters.value, rows.start..last);
    let mut area = inner.map_or(0.0, |spread| spread.area);
    area += counters.value[last] * bucket_end.saturating_sub(counters.at[last]) as f64;
    let mut held_ns = bucket_end.saturating_sub(first);
    if let Some(before) = before {
        area += counters.value[before] * first.saturating_sub(bucket_start) as f64;
        held_ns = bucket_end.saturating_sub(bucket_start);
    }
    if held_ns == 0 { counters.value[last] } else { area / held_ns as f64 }
}
