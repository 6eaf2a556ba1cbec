//! Which track each slice of a track goes to, so that the slices of each nest.
//!
//! A slice takes the first track on which it lies within all that is open. A million slices may be open at once, so
//! neither that track nor what has ended is looked for one by one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::first_fit::FirstFit;

#[derive(Debug, Default)]
pub(super) struct Nests {
    nests: Vec<Nest>,
    /// Room of each track: the latest end that a slice may have there.
    rooms: FirstFit,
    /// Ends of all that is open, each with the track's position.
    ends: BinaryHeap<Reverse<(u64, usize)>>,
}

/// A track that takes slices, with the ends of those that are open.
#[derive(Debug)]
struct Nest {
    track: u64,
    open: Vec<u64>,
}

impl Nests {
    /// Adds a track with nothing open; returns its position.
    pub(super) fn push(&mut self, track: u64) -> usize {
        self.nests.push(Nest { track, open: Vec::new() });
        self.rooms.push(u64::MAX)
    }

    pub(super) fn len(&self) -> usize {
        self.nests.len()
    }

    /// The track at a position; true if a slice is open there.
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

    /// Ends the slices that end up to a moment: `ended` gets each track and end, in the order of time.
    pub(super) fn end_until(&mut self, until: u64, mut ended: impl FnMut(u64, u64)) {
        while let Some(Reverse((end, nest))) = self.ends.peek().copied()
            && end <= until
        {
            self.ends.pop();
            // Slices nest, so that it is the innermost one.
            let place = &mut self.nests[nest];
            place.open.pop();
            self.rooms.set(nest, place.open.last().copied().unwrap_or(u64::MAX));
            ended(place.track, end);
        }
    }
}
