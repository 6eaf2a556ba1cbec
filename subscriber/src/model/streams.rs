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
    /// Time of its last start or end of a slice.
    last: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenSlice {
    /// The trace type that ends it.
    pub(super) end: u16,
    /// `None` for a call, which has no tracepoint.
    pub(super) universal_id: Option<u64>,
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
            StreamTrack { track, open: Vec::new(), last: Timestamp(0) }
        });
        state.track
    }

    pub(super) fn begin(&mut self, parent: u64, stream: StreamId, open: OpenSlice, at: Timestamp) {
        if let Some(track) = self.tracks.get_mut(&(parent, stream.0)) {
            track.open.push(open);
            track.last = at;
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
        let Some(StreamTrack { track, open, last }) = self.tracks.get_mut(&(parent, stream.0)) else {
            return false;
        };
        let innermost = |is_it: &dyn Fn(&OpenSlice) -> bool| {
            open.iter().rposition(|open| open.end == ended.end && is_it(open))
        };
        let position = innermost(&|open| *open == ended)
            .or_else(|| innermost(&|open| open.instance == ended.instance))
            .or_else(|| ended.universal_id.and_then(|id| innermost(&|open| open.universal_id == Some(id))));
        let Some(position) = position else { return false };
        for _ in position + 1..open.len() {
            sink.event(&Event::SliceEnd(SliceEnd { track: *track, at, args: &[] }));
        }
        sink.event(&Event::SliceEnd(SliceEnd { track: *track, at, args }));
        open.truncate(position);
        *last = at;
        true
    }

    /// Ends the slices of an earlier thread with this track, at the last start or end on each of its streams.
    pub(super) fn thread_begins(&mut self, parent: u64, sink: &mut dyn EventSink) {
        let of_thread = self.tracks.iter_mut().filter(|((owner, _), _)| *owner == parent);
        for (_, StreamTrack { track, open, last }) in of_thread {
            for _ in open.drain(..) {
                sink.event(&Event::SliceEnd(SliceEnd { track: *track, at: *last, args: &[] }));
            }
        }
    }

    pub(super) fn end_all(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        for StreamTrack { track, open, .. } in self.tracks.values_mut() {
            for _ in open.drain(..) {
                sink.event(&Event::SliceEnd(SliceEnd { track: *track, at, args: &[] }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u16 = 7;

    /// Ends of slices, by track and time.
    #[derive(Default)]
    struct Ends(Vec<(u64, u64)>);

    impl EventSink for Ends {
        fn event(&mut self, event: &Event<'_>) {
            if let Event::SliceEnd(end) = event {
                self.0.push((end.track, end.at.0));
            }
        }
    }

    fn call(instance: u64) -> OpenSlice {
        OpenSlice { end: END, universal_id: None, instance }
    }

    #[test]
    fn the_end_of_a_call_whose_start_was_lost_ends_no_other() {
        let (mut streams, mut threads, mut ends) = (Streams::default(), Threads::default(), Ends::default());
        let parent = threads.track(10, &mut ends);
        let track = streams.track(&mut threads, 10, StreamId::CUDA, &mut ends);
        streams.begin(parent, StreamId::CUDA, call(1), Timestamp(10));
        assert!(!streams.end(parent, StreamId::CUDA, call(2), Timestamp(20), &[], &mut ends));
        assert!(streams.end(parent, StreamId::CUDA, call(1), Timestamp(30), &[], &mut ends));
        assert_eq!(ends.0, [(track, 30)]);
    }

    #[test]
    fn slices_of_a_thread_end_where_another_gets_its_id() {
        let (mut streams, mut threads, mut ends) = (Streams::default(), Threads::default(), Ends::default());
        let [first, second] = [10, 20].map(|thread| threads.track(thread, &mut ends));
        let track = streams.track(&mut threads, 10, StreamId::CUDA, &mut ends);
        streams.track(&mut threads, 20, StreamId::CUDA, &mut ends);
        for (parent, at) in [(first, 10), (second, 20), (first, 30)] {
            streams.begin(parent, StreamId::CUDA, call(at), Timestamp(at));
        }
        streams.thread_begins(first, &mut ends);
        assert_eq!(ends.0, [(track, 30), (track, 30)]);
        assert!(!streams.end(first, StreamId::CUDA, call(10), Timestamp(40), &[], &mut ends));
        assert!(streams.end(second, StreamId::CUDA, call(20), Timestamp(50), &[], &mut ends));
    }
}
