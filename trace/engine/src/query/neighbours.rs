//! Neighbours of a slice.

mod waits;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use syclscope_language::api::{Alike, Overlap, Overlaps, Waits};
use syclscope_language::question::{OverlapQuestion, Selection, WaitQuestion};

use crate::cancel;
use crate::query::QueryError;
use crate::query::detail::slice_ref;
use crate::query::matcher::kind_of;
use crate::query::select::{SelectedSlices, item};
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Returns the slices of other tracks that overlap a slice.
    ///
    /// # Errors
    /// Returns an error if the slice or a track doesn't exist.
    pub fn overlaps(&self, question: &OverlapQuestion) -> Result<Overlaps, QueryError> {
        overlaps(self, question)
    }

    /// Returns the previous and next slice with the same name, category and kind, on its track or in the trace.
    ///
    /// # Errors
    /// Returns an error if the slice doesn't exist.
    pub fn alike(&self, slice: u32, same_track: bool) -> Result<Alike, QueryError> {
        self.existing(slice)?;
        Ok(alike(self, slice as usize, same_track))
    }

    /// Returns the predecessors or successors of a command or a wait of the host.
    ///
    /// # Errors
    /// Returns an error if the slice or node doesn't exist.
    pub fn waits(&self, question: &WaitQuestion) -> Result<Waits, QueryError> {
        waits::waits(self, question)
    }

    fn existing(&self, slice: u32) -> Result<(), QueryError> {
        if (slice as usize) < self.slices.len() { Ok(()) } else { Err(QueryError::NoSlice(slice)) }
    }
}

/// Returns the previous and the next slice with the same name. Visits every slice's name.
fn alike(trace: &Trace, row: usize, same_track: bool) -> Alike {
    let slices = &trace.slices;
    let rows = if same_track {
        let track = trace.tracks.row(slice_ref(trace, row as u32).track as usize);
        let first = track.first_lane as usize;
        let last = first + (track.lanes as usize).max(1) - 1;
        slices.lane(first).start..slices.lane(last).end
    } else {
        0..slices.len()
    };
    let (name, category, kind) = (slices.name.at(row), slices.category(row), kind_of(trace, row));
    let own = (slices.start.at(row), row);
    cancel::spend(rows.len());
    let names = slices.name.raw().get(rows.clone()).unwrap_or_default();
    let mut alike = Alike::default();
    let (mut previous, mut next) = (None, None);
    for other in rows.zip(names).filter(|(_, other)| **other == name.0).map(|(other, _)| other) {
        if slices.category(other) != category || kind_of(trace, other) != kind {
            continue;
        }
        let key = (slices.start.at(other), other);
        alike.total += 1;
        if key < own {
            alike.position += 1;
            previous = previous.max(Some(key));
        } else if key > own {
            next = Some(next.map_or(key, |next: (u64, usize)| next.min(key)));
        }
    }
    alike.previous = previous.map(|(_, row)| item(trace, row));
    alike.next = next.map(|(_, row)| item(trace, row));
    alike
}

/// Returns the slices with the most time in common, and the number of others.
fn overlaps(trace: &Trace, question: &OverlapQuestion) -> Result<Overlaps, QueryError> {
    trace.existing(question.slice)?;
    let own = slice_ref(trace, question.slice);
    let end = own.start_ns.saturating_add(own.duration_ns);
    let selection = Selection {
        from_ns: Some(own.start_ns),
        // An instant overlaps the slices that run at its moment.
        to_ns: Some(end.max(own.start_ns.saturating_add(1))),
        tracks: question.tracks.clone(),
        objects: None,
        filter: question.filter.clone(),
    };
    // A heap of the longest overlaps, the shortest of them on top.
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
