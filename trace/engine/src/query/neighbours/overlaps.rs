//! Slices of other tracks that run while one does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use syclscope_language::api::{Overlap, Overlaps};
use syclscope_language::question::{OverlapQuestion, Selection};

use crate::query::QueryError;
use crate::query::detail::slice_ref;
use crate::query::select::{SelectedSlices, item};
use crate::store::Trace;

/// Returns the slices with the most time in common, and the number of others.
pub(super) fn overlaps(trace: &Trace, question: &OverlapQuestion) -> Result<Overlaps, QueryError> {
    trace.existing(question.slice)?;
    let own = slice_ref(trace, question.slice);
    let end = own.start_ns.saturating_add(own.duration_ns);
    let selection = Selection {
        from_ns: Some(own.start_ns),
        // An instant overlaps whatever runs at its moment.
        to_ns: Some(end.max(own.start_ns.saturating_add(1))),
        tracks: question.tracks.clone(),
        objects: None,
        filter: question.filter.clone(),
    };
    // A heap with the worst of the best on top.
    let mut best: BinaryHeap<(Reverse<u64>, u64, usize)> = BinaryHeap::new();
    let mut count = 0_u64;
    SelectedSlices::new(trace, &selection)?.for_each(|slice| {
        if slice.track == own.track {
            return;
        }
        count += 1;
        let (start, until) = trace.slices.interval(slice.row);
        let overlap = until.min(end).saturating_sub(start.max(own.start_ns));
        best.push((Reverse(overlap), start, slice.row));
        if best.len() > question.limit as usize {
            best.pop();
        }
    });
    let best = best.into_sorted_vec();
    let more = count - best.len() as u64;
    let overlap = |(Reverse(overlap_ns), _, row)| Overlap { slice: item(trace, row), overlap_ns };
    Ok(Overlaps { slices: best.into_iter().map(overlap).collect(), more })
}
