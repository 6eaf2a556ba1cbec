//! Pairing of ends that precede their start: other tools write one track from several threads, each thread's packets in
//! a row, so that a slice's end may precede its start in the file.

use rustc_hash::FxHashMap;
use syclscope_language::time::Timestamp;

use crate::diagnostics::{DiagnosticKind, Diagnostics};

/// Maximum number of stored ends.
const MAX_WAITING: usize = 1 << 20;

#[derive(Debug, Default)]
struct Track {
    open: u64,
    /// Times of ends that precede their start, and their positions in the file.
    ends: Vec<(Timestamp, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct Pairing {
    tracks: FxHashMap<u64, Track>,
    waiting: usize,
}

impl Pairing {
    /// Starts a slice; returns its end, if that is earlier in the file.
    pub(super) fn begin(&mut self, track: u64, at: Timestamp) -> Option<Timestamp> {
        let track = self.tracks.entry(track).or_default();
        // An end at the same moment belongs to an earlier slice whose start is missing. Taking it would shift all later
        // pairs.
        let fitting = track.ends.iter().enumerate().filter(|(_, (end, _))| *end > at);
        // Slices nest, so the nearest end belongs to this one.
        let nearest = fitting.min_by_key(|(_, (end, _))| *end).map(|(position, _)| position);
        let Some(position) = nearest.filter(|_| track.open == 0) else {
            track.open += 1;
            return None;
        };
        self.waiting -= 1;
        Some(track.ends.swap_remove(position).0)
    }

    pub(super) fn is_open(&self, track: u64) -> bool {
        self.tracks.get(&track).is_some_and(|track| track.open > 0)
    }

    /// Ends a slice at this position in the file; `false` if the end is stored until its start follows.
    pub(super) fn end(&mut self, track: u64, at: Timestamp, offset: u64) -> bool {
        let track = self.tracks.entry(track).or_default();
        if track.open > 0 {
            track.open -= 1;
            return true;
        }
        // The search among a track's ends must stay cheap.
        let waits = self.waiting < MAX_WAITING && track.ends.len() < 64;
        if waits {
            track.ends.push((at, offset));
            self.waiting += 1;
        }
        !waits
    }

    /// Counts the ends without a start. They end no slice, because the open slices started after them.
    pub(super) fn finish(&mut self, diagnostics: &mut Diagnostics) {
        let mut places: Vec<u64> =
            self.tracks.values().flat_map(|track| track.ends.iter().map(|(_, offset)| *offset)).collect();
        places.sort_unstable();
        for place in places {
            diagnostics.count_at(DiagnosticKind::EndWithoutBegin, place);
        }
    }
}
