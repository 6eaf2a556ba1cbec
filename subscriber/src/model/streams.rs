//! Tracks of XPTI streams: one for each stream and thread, below the thread's own.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Args, Event, EventSink, SliceEnd, Track, TrackKind};
use syclscope_language::time::Timestamp;

use super::threads::Threads;
use crate::xpti::StreamId;

#[derive(Default)]
pub(super) struct Streams {
    tracks: FxHashMap<(u64, u8), StreamTrack>,
}

struct StreamTrack {
    track: u64,
    open: Vec<OpenSlice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenSlice {
    /// The trace type that ends it.
    pub(super) end: u16,
    pub(super) universal_id: u64,
    pub(super) instance: u64,
}

fn display_name(stream: StreamId) -> &'static str {
    match stream {
        StreamId::LEVEL_ZERO => "Level Zero calls",
        StreamId::CUDA => "CUDA calls",
        _ => stream.name(),
    }
}

impl Streams {
    /// Returns the track of a stream on a thread, announced on first use.
    pub(super) fn track(
        &mut self,
        threads: &mut Threads,
        thread: u32,
        stream: StreamId,
        sink: &mut dyn EventSink,
    ) -> u64 {
        let parent = threads.track(thread, sink);
        let state = self.tracks.entry((parent, stream.0)).or_insert_with(|| {
            let track = threads.new_track();
            sink.event(&Event::Track(Track {
                track,
                parent: Some(parent),
                kind: TrackKind::Stream,
                name: display_name(stream),
                tid: thread,
            }));
            StreamTrack { track, open: Vec::new() }
        });
        state.track
    }

    pub(super) fn begin(&mut self, parent: u64, stream: StreamId, open: OpenSlice) {
        if let Some(track) = self.tracks.get_mut(&(parent, stream.0)) {
            track.open.push(open);
        }
    }

    /// Ends the innermost slice with this end, and those above it, whose own ends were lost. False if there is none.
    pub(super) fn end(
        &mut self,
        parent: u64,
        stream: StreamId,
        ended: OpenSlice,
        at: Timestamp,
        args: Args<'_>,
        sink: &mut dyn EventSink,
    ) -> bool {
        let Some(StreamTrack { track, open }) = self.tracks.get_mut(&(parent, stream.0)) else {
            return false;
        };
        let innermost = |is_it: &dyn Fn(&OpenSlice) -> bool| {
            open.iter().rposition(|open| open.end == ended.end && is_it(open))
        };
        let position = innermost(&|open| *open == ended)
            .or_else(|| innermost(&|open| open.instance == ended.instance))
            .or_else(|| innermost(&|open| open.universal_id == ended.universal_id));
        let Some(position) = position else { return false };
        for _ in position + 1..open.len() {
            sink.event(&Event::SliceEnd(SliceEnd { track: *track, at, args: &[] }));
        }
        sink.event(&Event::SliceEnd(SliceEnd { track: *track, at, args }));
        open.truncate(position);
        true
    }

    pub(super) fn end_all(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        for StreamTrack { track, open } in self.tracks.values_mut() {
            for _ in open.drain(..) {
                sink.event(&Event::SliceEnd(SliceEnd { track: *track, at, args: &[] }));
            }
        }
    }
}
