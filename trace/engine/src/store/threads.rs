//! Tracks by the thread that they show.

use syclscope_language::event::{Category, TrackKind};

use super::Trace;
use super::cache::cached;
use super::table::Table as _;
use super::tracks::TrackRow;

/// Tracks of threads, by process and thread.
pub(crate) struct Threads(Vec<(u32, u32, u32)>);

cached!(Threads { 0 });

impl Trace {
    /// Returns the tracks of a thread in order. The first call walks over the tracks.
    pub(crate) fn tracks_of_thread(&self, process: u32, tid: u32) -> impl Iterator<Item = TrackRow> {
        self.rows_of_thread(process, tid).filter_map(|row| self.tracks.get(row))
    }

    pub(crate) fn rows_of_thread(&self, process: u32, tid: u32) -> impl Iterator<Item = u32> {
        let threads = self.shelf.slot().get_or_init(|| Threads::new(self));
        let first = threads.0.partition_point(|known| *known < (process, tid, 0));
        let own = threads.0[first..].iter().take_while(move |known| (known.0, known.1) == (process, tid));
        own.map(|(_, _, row)| *row)
    }

    /// Returns the innermost slice of a category on a thread at a moment.
    pub(crate) fn slice_of_thread(&self, process: u32, tid: u32, at: u64, category: Category) -> Option<u32> {
        self.tracks_of_thread(process, tid).find_map(|track| {
            let mut slices = self.slices.at(track.lane_range().rev(), at);
            slices.find(|row| self.slices.category(*row) == category).map(|row| row as u32)
        })
    }
}

impl Threads {
    fn new(trace: &Trace) -> Self {
        let rows = (0..).zip(trace.tracks.iter()).filter(|(_, track)| track.kind == TrackKind::Thread);
        let mut known: Vec<_> = rows.map(|(row, track)| (track.process, track.tid, row)).collect();
        known.sort_unstable();
        Self(known)
    }
}
