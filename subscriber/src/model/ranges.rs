//! Ranges of a program's frameworks: their tracks, and the open ranges of each.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Event, EventSink, SliceEnd, Track, TrackKind, Value};
use syclscope_language::time::Timestamp;

use super::args::ArgValue;
use super::process::PROCESS_TRACK;
use super::threads::Threads;
use crate::record::range::{INNERMOST, Scope};
use crate::xpti::{StreamId, set_recorded};

/// Maximum number of details remembered for one range until its end; a program may add any number.
const MAX_DETAILS: usize = 64;

/// Maximum number of open ranges of a domain; one more ends the oldest, whose own end is assumed to be lost.
const MAX_TRACKS: usize = 256;

pub(super) type Domain = u32;

/// A range's argument, owned.
pub(super) type Detail = (String, ArgValue<'static>);

#[derive(Default)]
pub(super) struct Ranges {
    domains: FxHashMap<StreamId, FxHashMap<Arc<str>, Domain>>,
    domain_count: Domain,
    /// Tracks of ranges that nest, by thread.
    nested: FxHashMap<(u32, Domain), RangeTrack>,
    /// Tracks of ranges that may overlap: as many as are open at the same time.
    overlapping: FxHashMap<Domain, Vec<RangeTrack>>,
    categories: FxHashMap<(Domain, u64), Arc<str>>,
    counters: FxHashMap<(Domain, Arc<str>), u64>,
}

struct RangeTrack {
    number: u64,
    open: Vec<Open>,
    /// Time of its last start or end of a range.
    last: Timestamp,
}

struct Open {
    key: u64,
    thread: u32,
    details: Vec<Detail>,
}

#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) thread: u32,
    pub(super) stream: StreamId,
    pub(super) scope: Scope,
    pub(super) domain: Domain,
    pub(super) domain_name: &'a str,
}

impl Place<'_> {
    fn track_name(&self) -> String {
        let interface = match self.stream {
            StreamId::ITT => "ITT",
            StreamId::NVTX => "NVTX",
            StreamId::KOKKOS => "Kokkos",
            other => other.name(),
        };
        match self.domain_name {
            "" => interface.to_owned(),
            domain => format!("{interface}: {domain}"),
        }
    }
}

impl RangeTrack {
    fn new(number: u64) -> Self {
        Self { number, open: Vec::new(), last: Timestamp(0) }
    }

    /// Ends the range at a position, and those above it, whose own ends were lost.
    fn end(&mut self, position: usize, place: Place<'_>, at: Timestamp, sink: &mut dyn EventSink) {
        for _ in position + 1..self.open.len() {
            sink.event(&Event::SliceEnd(SliceEnd { track: self.number, at, args: &[] }));
        }
        self.open.truncate(position + 1);
        let Some(Open { thread, details, .. }) = self.open.pop() else { return };
        let mut args: Vec<(&str, Value<'_>)> =
            details.iter().map(|(name, value)| (name.as_str(), value.as_value())).collect();
        if place.scope == Scope::Process && thread != place.thread {
            args.push(("end_thread", Value::Uint(place.thread.into())));
        }
        sink.event(&Event::SliceEnd(SliceEnd { track: self.number, at, args: &args }));
        self.last = at;
    }

    fn end_all(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        let at = at.max(self.last);
        for _ in self.open.drain(..) {
            sink.event(&Event::SliceEnd(SliceEnd { track: self.number, at, args: &[] }));
        }
    }
}

impl Ranges {
    pub(super) fn domain(&mut self, stream: StreamId, name: &str) -> Domain {
        let domains = self.domains.entry(stream).or_insert_with(|| {
            set_recorded(stream);
            FxHashMap::default()
        });
        if let Some(domain) = domains.get(name) {
            return *domain;
        }
        let domain = self.domain_count;
        self.domain_count += 1;
        domains.insert(name.into(), domain);
        domain
    }

    pub(super) fn name_category(&mut self, domain: Domain, category: u64, name: &str) {
        self.categories.insert((domain, category), name.into());
    }

    pub(super) fn category(&self, domain: Domain, category: u64) -> Option<&Arc<str>> {
        self.categories.get(&(domain, category))
    }

    /// Starts a range, and returns the track for its slice.
    pub(super) fn begin(
        &mut self,
        place: Place<'_>,
        key: u64,
        at: Timestamp,
        threads: &mut Threads,
        sink: &mut dyn EventSink,
    ) -> u64 {
        let track = match place.scope {
            Scope::Thread => self.nested_track(place, threads, sink),
            Scope::Process => {
                let tracks = self.overlapping.entry(place.domain).or_default();
                let is_full = tracks.len() >= MAX_TRACKS;
                let free = tracks.iter().position(|track| track.open.is_empty());
                let oldest = || (0..tracks.len()).min_by_key(|number| tracks[*number].last);
                let free = free.or_else(|| oldest().filter(|_| is_full)).unwrap_or_else(|| {
                    let number = tracks.len() + 1;
                    let name = place.track_name();
                    let name = if number == 1 {
                        format!("{name} (start, end)")
                    } else {
                        format!("{name} (start, end) {number}")
                    };
                    tracks.push(RangeTrack::new(announce(threads, PROCESS_TRACK, &name, 0, sink)));
                    number - 1
                });
                tracks[free].end_all(at, sink);
                &mut tracks[free]
            }
        };
        track.last = at;
        track.open.push(Open { key, thread: place.thread, details: Vec::new() });
        track.number
    }

    /// Returns the track of a thread's own ranges and marks.
    pub(super) fn track(&mut self, place: Place<'_>, threads: &mut Threads, sink: &mut dyn EventSink) -> u64 {
        self.nested_track(place, threads, sink).number
    }

    fn nested_track(
        &mut self,
        place: Place<'_>,
        threads: &mut Threads,
        sink: &mut dyn EventSink,
    ) -> &mut RangeTrack {
        self.nested.entry((place.thread, place.domain)).or_insert_with(|| {
            let parent = threads.track(place.thread, sink);
            RangeTrack::new(announce(threads, parent, &place.track_name(), place.thread, sink))
        })
    }

    /// Returns the track with the open range of this key, preferably this thread's innermost one, and its position
    /// there.
    fn find(&mut self, place: Place<'_>, key: u64) -> Option<(&mut RangeTrack, usize)> {
        let tracks: &mut [RangeTrack] = match place.scope {
            Scope::Thread => std::slice::from_mut(self.nested.get_mut(&(place.thread, place.domain))?),
            Scope::Process => self.overlapping.get_mut(&place.domain)?,
        };
        let open = tracks.iter_mut().filter_map(|track| {
            let position = track.open.iter().rposition(|open| key == INNERMOST || open.key == key)?;
            Some((track, position))
        });
        // Several threads may have ranges with the same key: each ends its own range, if it has one.
        open.max_by_key(|(track, position)| (track.open[*position].thread == place.thread, track.last))
    }

    /// Returns the domain with an open range that may end anywhere, among all domains of a stream.
    fn domain_of(&self, stream: StreamId, key: u64) -> Option<Domain> {
        let is_in = |domain: &Domain| {
            let tracks = self.overlapping.get(domain).map_or(&[][..], Vec::as_slice);
            tracks.iter().any(|track| track.open.iter().any(|open| open.key == key))
        };
        self.domains.get(&stream)?.values().copied().find(is_in)
    }

    /// Ends the innermost range with this key; does nothing if its start was not recorded.
    pub(super) fn end(&mut self, mut place: Place<'_>, key: u64, at: Timestamp, sink: &mut dyn EventSink) {
        // NVTX numbers the ranges of all domains together, and lets a call without the domain end them.
        let is_of_nvtx = (place.stream, place.scope) == (StreamId::NVTX, Scope::Process);
        if is_of_nvtx && self.find(place, key).is_none() {
            place.domain = self.domain_of(place.stream, key).unwrap_or(place.domain);
        }
        if let Some((track, position)) = self.find(place, key) {
            track.end(position, place, at, sink);
        }
    }

    /// Adds details to the thread's open range with this key, or else to the process's.
    pub(super) fn add_details(&mut self, place: Place<'_>, key: u64, details: Vec<Detail>) {
        let is_nested = self.find(place, key).is_some();
        let scope = if is_nested { place.scope } else { Scope::Process };
        let Some((track, position)) = self.find(Place { scope, ..place }, key) else { return };
        let open = &mut track.open[position];
        let room = MAX_DETAILS.saturating_sub(open.details.len());
        open.details.extend(details.into_iter().take(room));
    }

    /// Returns the track of a counter, announced with its first value.
    pub(super) fn counter(
        &mut self,
        place: Place<'_>,
        name: &str,
        threads: &mut Threads,
        sink: &mut dyn EventSink,
    ) -> u64 {
        *self.counters.entry((place.domain, name.into())).or_insert_with(|| {
            let track = threads.new_track();
            let name = format!("{}: {name}", place.track_name());
            let (parent, kind) = (Some(PROCESS_TRACK), TrackKind::Counter);
            sink.event(&Event::Track(Track { track, parent, kind, name: &name, tid: 0 }));
            track
        })
    }

    /// Ends the ranges of an earlier thread with this id, at their last start or end.
    pub(super) fn thread_begins(&mut self, thread: u32, sink: &mut dyn EventSink) {
        let tracks = self.nested.extract_if(|(owner, _), _| *owner == thread);
        tracks.for_each(|(_, mut track)| track.end_all(Timestamp(0), sink));
    }

    pub(super) fn end_all(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        let tracks = self.nested.values_mut().chain(self.overlapping.values_mut().flatten());
        tracks.for_each(|track| track.end_all(at, sink));
    }
}

fn announce(threads: &mut Threads, parent: u64, name: &str, tid: u32, sink: &mut dyn EventSink) -> u64 {
    let track = threads.new_track();
    let kind = TrackKind::Stream;
    sink.event(&Event::Track(Track { track, parent: Some(parent), kind, name, tid }));
    track
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen {
        tracks: usize,
        open: FxHashMap<u64, usize>,
        ends: Vec<(u64, usize)>,
    }

    impl EventSink for Seen {
        fn event(&mut self, event: &Event<'_>) {
            match event {
                Event::Track(track) if track.kind == TrackKind::Stream => self.tracks += 1,
                Event::SliceEnd(end) => {
                    let open = self.open.get_mut(&end.track).filter(|open| **open > 0);
                    *open.expect("an end has a begin") -= 1;
                    self.ends.push((end.track, end.args.len()));
                }
                _ => {}
            }
        }
    }

    #[derive(Default)]
    struct Played {
        ranges: Ranges,
        threads: Threads,
        seen: Seen,
        at: u64,
    }

    impl Played {
        fn place(&mut self, thread: u32, scope: Scope) -> (Place<'static>, Timestamp) {
            self.at += 1;
            (Place { thread, stream: StreamId::ITT, scope, domain: 0, domain_name: "d" }, Timestamp(self.at))
        }

        fn begin(&mut self, thread: u32, scope: Scope, key: u64) -> u64 {
            let (place, at) = self.place(thread, scope);
            let track = self.ranges.begin(place, key, at, &mut self.threads, &mut self.seen);
            *self.seen.open.entry(track).or_default() += 1;
            track
        }

        fn end(&mut self, thread: u32, scope: Scope, key: u64) -> Vec<(u64, usize)> {
            let (place, at) = self.place(thread, scope);
            self.ranges.end(place, key, at, &mut self.seen);
            std::mem::take(&mut self.seen.ends)
        }
    }

    #[test]
    fn a_thread_ends_its_own_range_of_a_key_that_others_have_too() {
        let mut played = Played::default();
        let [first, second] = [10, 20].map(|thread| played.begin(thread, Scope::Process, 1));
        assert_eq!(played.end(20, Scope::Process, 1), [(second, 0)]);
        assert_eq!(played.end(10, Scope::Process, 1), [(first, 0)]);
        // If the thread has no range with this key, ends another thread's range and returns that thread.
        let other = played.begin(10, Scope::Process, 1);
        assert_eq!(played.end(20, Scope::Process, 1), [(other, 1)]);
        assert_eq!(played.end(20, Scope::Process, 1), []);
    }

    #[test]
    fn a_range_of_nvtx_is_ended_by_its_number_whatever_the_domain() {
        let mut played = Played::default();
        let (none, own) = (0, 1);
        let domains = [("", none), ("own", own)].map(|(name, domain)| (name.into(), domain));
        played.ranges.domains.insert(StreamId::NVTX, domains.into_iter().collect());
        let mut play = |domain: Domain, key: u64, is_begin: bool| {
            let (place, at) = played.place(10, Scope::Process);
            let place = Place { stream: StreamId::NVTX, domain, ..place };
            if is_begin {
                let track = played.ranges.begin(place, key, at, &mut played.threads, &mut played.seen);
                *played.seen.open.entry(track).or_default() += 1;
                return vec![(track, 0)];
            }
            played.ranges.end(place, key, at, &mut played.seen);
            std::mem::take(&mut played.seen.ends)
        };
        let (first, second) = (play(own, 1, true), play(own, 2, true));
        assert_eq!(play(none, 1, false), first);
        assert_eq!(play(none, 1, false), []);
        assert_eq!(play(own, 2, false), second);
    }

    #[test]
    fn ranges_that_never_end_have_a_limited_number_of_tracks() {
        let mut played = Played::default();
        let tracks: Vec<u64> = (0..300).map(|key| played.begin(10, Scope::Process, key)).collect();
        assert_eq!(played.seen.tracks, MAX_TRACKS);
        // Each of the oldest has ended where a later one has started.
        let replaced = &tracks[..300 - MAX_TRACKS];
        let ended: Vec<u64> = std::mem::take(&mut played.seen.ends).iter().map(|(track, _)| *track).collect();
        assert_eq!(ended, replaced);
        assert_eq!(played.end(10, Scope::Process, 0), [], "its place is another's");
        assert_eq!(played.end(10, Scope::Process, 299), [(tracks[299], 0)]);
        assert_eq!(played.end(10, Scope::Process, 100), [(tracks[100], 0)]);
        played.ranges.end_all(Timestamp(1000), &mut played.seen);
        assert!(played.seen.open.values().all(|open| *open == 0));
    }

    #[test]
    fn a_lost_end_ends_with_the_range_around_it() {
        let mut played = Played::default();
        let track = played.begin(10, Scope::Thread, 1);
        let others = played.begin(20, Scope::Thread, 2);
        played.begin(10, Scope::Thread, 2);
        assert_eq!(played.end(10, Scope::Thread, 1), [(track, 0), (track, 0)]);
        assert_eq!(played.end(10, Scope::Thread, 2), []);
        assert_eq!(played.begin(10, Scope::Thread, 3), track);
        assert_eq!(played.end(10, Scope::Thread, 3), [(track, 0)]);
        assert_eq!(played.end(20, Scope::Thread, 2), [(others, 0)]);
    }
}
