//! Samples of host threads.

use std::ops::Range;

use super::table::table;

table! {
    /// Samples by thread and time.
    Samples,
    /// The state of a thread at one moment.
    SampleRow {
        track: u32,
        at: u64,
        /// Row of the innermost frame of its stack, or `NONE`.
        stack: u32,
        period_ns: u64,
        /// Number of missed samples before it.
        missed: u64,
        is_blocked: bool,
        /// System call that it was blocked in: its number plus one; 0 if unknown.
        system_call: u32,
    }
}

impl Samples {
    pub(crate) fn rows(&self, track: u32, range: &Range<u64>) -> Range<usize> {
        let rows =
            self.track.partition_point(|of| *of < track)..self.track.partition_point(|of| *of <= track);
        // Columns in a derived file may have different lengths.
        let at = self.at.get(rows.clone()).unwrap_or_default();
        let before = |moment: u64| rows.start + at.partition_point(|at| *at < moment);
        let first = before(range.start);
        first..before(range.end).max(first)
    }

    pub(crate) fn tracks(&self) -> Vec<u32> {
        let (mut rest, mut tracks) = (&self.track[..], Vec::new());
        while let Some(track) = rest.first() {
            tracks.push(*track);
            rest = &rest[rest.partition_point(|of| of <= track).max(1)..];
        }
        tracks
    }
}
