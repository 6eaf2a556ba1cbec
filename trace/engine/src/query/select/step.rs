//! Steps from one slice of a selection to the next.

use syclscope_language::question::StepFrom;

use super::SelectedSlices;
use crate::query::QueryError;
use crate::store::table::Table as _;

/// Returns the next row of a selection, or the previous one. The search on a lane ends at the first match, or at a
/// nearer match on another lane.
pub(super) fn step(
    mut selected: SelectedSlices<'_>,
    from: StepFrom,
    back: bool,
) -> Result<Option<usize>, QueryError> {
    let slices = &selected.trace.slices;
    // Bounds of the search ahead and back, by start and row.
    let (behind, before) = match from {
        StepFrom::At(at) => ((at, 0), (at, 0)),
        StepFrom::Slice(slice) => {
            let row = slice as usize;
            let start = slices.get(slice).map(|row| row.start).ok_or(QueryError::NoSlice(slice))?;
            ((start, row + 1), (start, row))
        }
    };
    let mut best: Option<(u64, usize)> = None;
    for lane in &selected.lanes {
        let key = |row: usize| (slices.start.at(row), row);
        let split = |bound: (u64, usize)| {
            let starts = slices.start.get(lane.rows.clone()).unwrap_or_default();
            let mut row = lane.rows.start + starts.partition_point(|start| *start < bound.0);
            while row < lane.rows.end && key(row) < bound {
                row += 1;
            }
            row
        };
        let found = if back {
            let nearer = |row: &usize| best.is_none_or(|best| key(*row) > best);
            let mut rows = (lane.rows.start..split(before)).rev().take_while(nearer);
            rows.find(|row| selected.matcher.is_match(*row, lane.track))
        } else {
            let nearer = |row: &usize| best.is_none_or(|best| key(*row) < best);
            let mut rows = (split(behind)..lane.rows.end).take_while(nearer);
            rows.find(|row| selected.matcher.is_match(*row, lane.track))
        };
        best = found.map(key).or(best);
    }
    Ok(best.map(|(_, row)| row))
}
