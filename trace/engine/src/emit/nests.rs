//! Distribution of the slices of a track over several tracks, so that the slices of each nest.
//!
//! A slice takes the first track on which it nests in all open slices. A million slices may be open at once, so that
//! track and the ended slices are found in logarithmic time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::first_fit::FirstFit;

#[derive(Debug, Default)]
pub(super) struct Nests {
    nests: Vec<Nest>,
    /// Room of each track: the latest possible end of a slice on it.
    rooms: FirstFit,
    /// Ends of all open slices, each with the track's index.
    ends: BinaryHeap<Reverse<(u64, usize)>>,
}

/// A track with the ends of its open slices.
#[derive(Debug)]
struct Nest {
    track: u64,
    open: Vec<u64>,
}

impl Nests {
    /// Adds a track without open slices; returns its index.
    pub(super) fn push(&mut self, track: u64) -> usize {
        self.nests.push(Nest { track, open: Vec::new() });
        self.rooms.push(u64::MAX)
    }

    pub(super) fn len(&self) -> usize {
        self.nests.len()
    }

    /// Returns the track at an index; true if it has an open slice.
    pub(super) fn at(&self, nest: usize) -> (u64, bool) {
        (self.nests[nest].track, !self.nests[nest].open.is_empty())
    }

    pub(super) fn fitting(&self, end: u64) -> Option<usize> {
        self.rooms.first(end)
    }

    pub(super) fn open(&mut self, nest: usize, end: u64) {
        self.nests[nest].open.push(end);
        self.rooms.set(nest, end);
        self.ends.push(Reverse((end, nest)));
    }

    /// Ends the slices that end up to a moment: calls `ended` with each track and end, by time.
    pub(super) fn end_until(&mut self, until: u64, mut ended: impl FnMut(u64, u64)) {
        while let Some(Reverse((end, nest))) = self.ends.peek().copied()
            && end <= until
        {
            self.ends.pop();
            // Slices nest, so that the ended slice is the innermost one.
            let place = &mut self.nests[nest];
            place.open.pop();
            self.rooms.set(nest, place.open.last().copied().unwrap_or(u64::MAX));
            ended(place.track, end);
        }
    }
}
