//! Slices of a tile that match a filter.

use syclscope_language::api::TileLane;
use syclscope_language::question::TileKey;

use crate::query::matcher::Matcher;
use crate::store::Trace;

/// For each entry of a lane, counts the slices that match the filter. Visits each slice of the tile.
pub(in crate::query) fn mark(
    trace: &Trace,
    lane: usize,
    key: TileKey,
    tile_lane: &mut TileLane,
    matcher: &mut Matcher<'_>,
) {
    let rows = trace.slices.lane(lane);
    let starts = trace.slices.start.get(rows.clone()).unwrap_or_default();
    // Entries represent consecutive rows, starting with the first one in the tile's range; before it there may be a
    // single one that reaches into the range.
    let mut first = rows.start + starts.partition_point(|start| *start < key.span_ns().0);
    if tile_lane.slice.first().is_some_and(|slice| (*slice as usize) < first) {
        first -= 1;
    }
    for count in &tile_lane.count {
        let of_entry = first..(first + *count as usize).min(rows.end);
        first = of_entry.end;
        tile_lane.matching.push(of_entry.filter(|row| matcher.is_match(*row, key.track)).count() as u32);
    }
}
