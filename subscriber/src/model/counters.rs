//! Tracks of the counters of process and machine.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Event, EventSink, Track, TrackKind};
use syclscope_language::machine_counters::GROUP;

use super::process::PROCESS_TRACK;
use super::threads::Threads;

#[derive(Default)]
pub(super) struct CounterTracks {
    group: Option<u64>,
    tracks: FxHashMap<String, u64>,
}

impl CounterTracks {
    /// Returns the track of a counter, which is announced before its first sample.
    pub(super) fn track(&mut self, name: &str, threads: &mut Threads, sink: &mut dyn EventSink) -> u64 {
        if let Some(track) = self.tracks.get(name) {
            return *track;
        }
        let group = *self.group.get_or_insert_with(|| {
            let (track, parent) = (threads.new_track(), Some(PROCESS_TRACK));
            sink.event(&Event::Track(Track { track, parent, kind: TrackKind::Other, name: GROUP, tid: 0 }));
            track
        });
        let (track, parent) = (threads.new_track(), Some(group));
        sink.event(&Event::Track(Track { track, parent, kind: TrackKind::Counter, name, tid: 0 }));
        self.tracks.insert(name.to_owned(), track);
        track
    }
}
