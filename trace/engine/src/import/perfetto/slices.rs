//! Slices, instants and counter samples of track events.

use syclscope_language::event::{
    Args, Category, CounterSample, Event, EventSink, Instant, SliceBegin, SliceEnd, SourceLocation,
    Value as ArgValue,
};
use syclscope_language::time::Timestamp;

use super::Reader;
use super::interned::Sequence;
use super::track_event::TrackEvent;
use crate::convention::{Facts, Keys, SLICE_KEYS, location_of, split_facts};
use crate::diagnostics::DiagnosticKind;
use crate::import::owned_args::{text_bytes, values};

impl<S: EventSink> Reader<S> {
    pub(super) fn category(read: &TrackEvent<'_>) -> Category {
        Category::from_text(read.category)
    }

    pub(super) fn begin<'p>(
        &mut self,
        track: u64,
        at: Timestamp,
        read: &TrackEvent<'p>,
        args: &mut [(&'p str, ArgValue<'p>)],
    ) {
        let early_end = if self.own { None } else { self.pairing.begin(track, at) };
        self.slice_begin(track, at, read, args);
        if let Some((at, args)) = early_end {
            self.sink.event(&Event::SliceEnd(SliceEnd { track, at, args: &values(&args) }));
        }
    }

    pub(super) fn complete<'p>(
        &mut self,
        track: u64,
        (start, end): (Timestamp, Timestamp),
        read: &TrackEvent<'p>,
        args: &mut [(&'p str, ArgValue<'p>)],
    ) {
        self.slice_begin(track, start, read, args);
        self.sink.event(&Event::SliceEnd(SliceEnd { track, at: end, args: &[] }));
    }

    fn slice_begin<'p>(
        &mut self,
        track: u64,
        at: Timestamp,
        read: &TrackEvent<'p>,
        args: &mut [(&'p str, ArgValue<'p>)],
    ) {
        let Described { category, name, node, location, args } = self.described(track, read, args);
        self.sink.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
    }

    /// Reads the fields of an event. In our own recordings some arguments contain data for which Perfetto has no field;
    /// the others are recorded arguments.
    fn described<'b, 'p: 'b>(
        &mut self,
        track: u64,
        read: &TrackEvent<'p>,
        args: &'b mut [(&'p str, ArgValue<'p>)],
    ) -> Described<'b> {
        let (category, name) = (Self::category(read), read.name);
        self.name_after(track, name);
        if !self.own {
            return Described { category, name, node: None, location: read.location, args };
        }
        let (facts, args): (Facts<'_, '_>, _) = split_facts(args, SLICE_KEYS);
        let location = location_of(read.location, &facts);
        Described { category, name, node: facts.number("node"), location, args }
    }

    /// Ends a slice; `false` if its start may follow later in the file.
    pub(super) fn end<'p>(
        &mut self,
        track: u64,
        at: Timestamp,
        args: &mut [(&'p str, ArgValue<'p>)],
    ) -> bool {
        let args = if self.own { split_facts(args, const { Keys::new(&[]) }).1 } else { args };
        let waits = !self.own
            && !self.pairing.end(track)
            && self.has_room_for(text_bytes(args))
            && self.pairing.store(track, at, args, self.offset);
        if !waits {
            self.sink.event(&Event::SliceEnd(SliceEnd { track, at, args }));
        }
        !waits
    }

    /// Handles a track of states, each of which lasts until the next; one without a name is no state.
    pub(super) fn state<'p>(
        &mut self,
        track: u64,
        at: Timestamp,
        read: &TrackEvent<'p>,
        args: &mut [(&'p str, ArgValue<'p>)],
    ) {
        if self.pairing.is_open(track) {
            self.end(track, at, &mut []);
        }
        if !read.name.is_empty() {
            self.begin(track, at, read, args);
        }
    }

    pub(super) fn instant<'p>(
        &mut self,
        track: u64,
        at: Timestamp,
        read: &TrackEvent<'p>,
        args: &mut [(&'p str, ArgValue<'p>)],
    ) {
        let Described { category, name, node, location, args } = self.described(track, read, args);
        self.sink.event(&Event::Instant(Instant { track, at, category, name, node, location, args }));
    }

    pub(super) fn counter(&mut self, track: u64, at: Timestamp, integer: Option<u64>, float: Option<f64>) {
        let integer = integer.map(|value| value.cast_signed() as f64);
        let Some(mut value) = float.or(integer) else { return self.count(DiagnosticKind::UnknownEvent) };
        if let Some(state) = self.tracks.counters.get_mut(&track) {
            if state.derived {
                return;
            }
            if !self.own {
                value *= state.multiplier;
            }
            if state.incremental {
                value += state.value;
                state.value = value;
            }
        }
        self.sink.event(&Event::Counter(CounterSample { track, at, value }));
    }

    pub(super) fn extra_counters(&mut self, sequence: &Sequence, at: Timestamp) {
        let mut rare = std::mem::take(&mut self.rare);
        let own_or =
            |own: &[u64], default: &[u64]| if own.is_empty() { default.to_vec() } else { own.to_vec() };
        let tracks = own_or(&rare.counter_tracks, &sequence.extra_counters);
        for (track, value) in tracks.into_iter().zip(rare.counters.drain(..)) {
            self.counter(track, at, Some(value), None);
        }
        let tracks = own_or(&rare.double_tracks, &sequence.extra_double_counters);
        for (track, bits) in tracks.into_iter().zip(rare.doubles.drain(..)) {
            self.counter(track, at, None, Some(f64::from_bits(bits)));
        }
        self.rare = rare;
    }
}

struct Described<'b> {
    category: Category,
    name: &'b str,
    node: Option<u64>,
    location: SourceLocation<'b>,
    args: Args<'b>,
}
