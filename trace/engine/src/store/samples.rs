//! Samples of host threads.

use std::ops::Range;

use super::table::{Table as _, table};

table! {
    /// Samples by thread and time.
    Samples,
    /// Activity of a thread at one moment.
    SampleRow {
        track: u32,
        at: u64,
        /// Row of the innermost frame of its stack, or `NONE`.
        stack: u32,
        period_ns: u64,
        /// Moments before it without a sample.
        missed: u64,
        is_blocked: bool,
        /// Call of the operating system that it was blocked in, one more than its number; 0 if it is not known.
        system_call: u32,
    }
}

impl Samples {
    /// Rows of a thread's samples in a range of time.
    pub(crate) fn of(&self, track: u32, range: &Range<u64>) -> Range<usize> {
        let before = |at: u64| {
            let (mut from, mut to) = (0, self.len());
            while from < to {
                let middle = usize::midpoint(from, to);
                match (self.track.at(middle), self.at.at(middle)) < (track, at) {
                    true => from = middle + 1,
                    false => to = middle,
                }
            }
            from
        };
        let first = before(range.start);
        first..before(range.end).max(first)
    }

    /// Tracks of the sampled threads.
    pub(crate) fn tracks(&self) -> Vec<u32> {
        let mut tracks = Vec::new();
        let mut row = 0;
        while row < self.len() {
            let track = self.track.at(row);
            tracks.push(track);
            row = self.of(track, &(0..u64::MAX)).end.max(row + 1);
        }
        tracks
    }
}
