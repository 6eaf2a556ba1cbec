//! Pairing of ends that precede their start: other tools write one track from several threads, each thread's packets in
//! a row, so that a slice's end may precede its start in the file.

use rustc_hash::FxHashMap;
use syclscope_language::event::Args;
use syclscope_language::time::Timestamp;

use super::owned_args::{OwnedArgs, owned};
use crate::diagnostics::{DiagnosticKind, Diagnostics};

/// Maximum number of stored ends.
const MAX_WAITING: usize = 1 << 20;

/// An end that precedes its start.
#[derive(Debug)]
struct Early {
    at: Timestamp,
    args: OwnedArgs,
    /// Its position in the file.
    offset: u64,
}

#[derive(Debug, Default)]
struct Track {
    open: u64,
    ends: Vec<Early>,
}

#[derive(Debug, Default)]
pub(super) struct Pairing {
    tracks: FxHashMap<u64, Track>,
    waiting: usize,
}

impl Pairing {
    /// Starts a slice; returns the time and arguments of its end, if that is earlier in the file.
    pub(super) fn begin(&mut self, track: u64, at: Timestamp) -> Option<(Timestamp, OwnedArgs)> {
        let track = self.tracks.entry(track).or_default();
        // An end at the same moment belongs to an earlier slice whose start is missing. Taking it would shift all later
        // pairs.
        let fitting = track.ends.iter().enumerate().filter(|(_, end)| end.at > at);
        // Slices nest, so the nearest end belongs to this one.
        let nearest = fitting.min_by_key(|(_, end)| end.at).map(|(position, _)| position);
        let Some(position) = nearest.filter(|_| track.open == 0) else {
            track.open += 1;
            return None;
        };
        self.waiting -= 1;
        let end = track.ends.swap_remove(position);
        Some((end.at, end.args))
    }

    pub(super) fn is_open(&self, track: u64) -> bool {
        self.tracks.get(&track).is_some_and(|track| track.open > 0)
    }

    /// Ends the innermost slice of a track; `false` if none is open.
    pub(super) fn end(&mut self, track: u64) -> bool {
        let Some(track) = self.tracks.get_mut(&track).filter(|track| track.open > 0) else { return false };
        track.open -= 1;
        true
    }

    /// Stores an end at this position in the file until its start follows; `false` if too many are stored.
    pub(super) fn store(&mut self, track: u64, at: Timestamp, args: Args<'_>, offset: u64) -> bool {
        let track = self.tracks.entry(track).or_default();
        // The search among a track's ends must stay cheap.
        let has_room = self.waiting < MAX_WAITING && track.ends.len() < 64;
        if has_room {
            track.ends.push(Early { at, args: owned(args), offset });
            self.waiting += 1;
        }
        has_room
    }

    /// Counts the ends without a start. They end no slice, because the open slices started after them.
    pub(super) fn finish(&mut self, diagnostics: &mut Diagnostics) {
        let mut places: Vec<u64> =
            self.tracks.values().flat_map(|track| track.ends.iter().map(|end| end.offset)).collect();
        places.sort_unstable();
        for place in places {
            diagnostics.count_at(DiagnosticKind::EndWithoutBegin, place);
        }
    }
}
