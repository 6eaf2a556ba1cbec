//! Other programs write one track from several threads, each thread's packets in a row: the end of a slice may stand
//! in the file before its begin. Ends without a begin wait here.

use crate::event::{Event, EventSink, SliceEnd};
use crate::hash::FastMap;
use crate::time::Timestamp;

/// More ends than this don't wait.
const MAX_WAITING: usize = 1 << 20;

#[derive(Debug, Default)]
struct Track {
    /// Slices that are open.
    open: u64,
    /// Moments of ends that came before their begin.
    ends: Vec<Timestamp>,
}

/// What is open, and which ends wait, by track.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    tracks: FastMap<u64, Track>,
    waiting: usize,
}

impl Pairing {
    /// A slice begins; the end of it, if that stood earlier in the file.
    pub(super) fn begin(&mut self, track: u64, at: Timestamp) -> Option<Timestamp> {
        let track = self.tracks.entry(track).or_default();
        let fitting = track.ends.iter().enumerate().filter(|(_, end)| **end >= at);
        // Slices nest, so the nearest end is that of this one.
        let nearest = fitting.min_by_key(|(_, end)| **end).map(|(position, _)| position);
        let Some(position) = nearest.filter(|_| track.open == 0) else {
            track.open += 1;
            return None;
        };
        self.waiting -= 1;
        Some(track.ends.swap_remove(position))
    }

    /// A slice ends; whether its begin is known.
    pub(super) fn end(&mut self, track: u64, at: Timestamp) -> bool {
        let track = self.tracks.entry(track).or_default();
        if track.open > 0 {
            track.open -= 1;
            return true;
        }
        // Looking among them must stay cheap.
        let waits = self.waiting < MAX_WAITING && track.ends.len() < 64;
        if waits {
            track.ends.push(at);
            self.waiting += 1;
        }
        !waits
    }

    /// Tells of the ends whose begin never came.
    pub(super) fn finish(&mut self, sink: &mut impl EventSink) {
        let mut tracks: Vec<_> = std::mem::take(&mut self.tracks).into_iter().collect();
        tracks.sort_by_key(|(track, _)| *track);
        for (track, state) in tracks {
            for at in state.ends {
                sink.event(&Event::SliceEnd(SliceEnd { track, at, args: &[] }));
            }
        }
    }
}
