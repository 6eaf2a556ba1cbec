//! Asynchronous slices, which a file identifies by an id and not by nesting on a thread. Starts and ends are paired and
//! passed on as slices of separate tracks, one for each name in a process.

mod open;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    Args, Category, Event, EventSink, Instant, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use self::open::{OpenSlices, name_key};
use super::owned_args::{self, OwnedArgs, owned, values};
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::hash::hash_bytes;

/// First id of the tracks created for such slices.
const FIRST_TRACK: u64 = 0x4153_594e_0000_0000;

/// Maximum number of open slices, and of ends that came before their start.
const MAX_OPEN: usize = 1 << 20;

/// Maximum number of created tracks: further slices share one.
const MAX_TRACKS: usize = 1 << 14;

#[derive(Debug)]
struct Open {
    track: u64,
    at: Timestamp,
    category: Category,
    name: String,
    args: OwnedArgs,
}

impl Open {
    fn begin(&self, sink: &mut impl EventSink) {
        let args = values(&self.args);
        sink.event(&Event::SliceBegin(SliceBegin {
            track: self.track,
            at: self.at,
            category: self.category,
            name: &self.name,
            node: None,
            location: SourceLocation::default(),
            args: &args,
        }));
    }
}

/// An end that came before its start.
#[derive(Debug)]
struct Early {
    args: OwnedArgs,
    /// Its position in the file.
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'a> {
    /// Identity of the slice and of the slices inside it.
    pub(super) key: u64,
    /// Track of its process.
    pub(super) parent: Option<u64>,
    pub(super) at: Timestamp,
    pub(super) category: Category,
    pub(super) name: &'a str,
    pub(super) args: Args<'a>,
}

impl Head<'_> {
    /// Returns the length of the texts of an open slice, in bytes.
    pub(super) fn text_bytes(&self) -> usize {
        self.name.len() + owned_args::text_bytes(self.args)
    }
}

/// The open slices of a file.
///
/// Very many may be open at once, also with the same id, and may end in any order: removal takes constant time. Other
/// tools write each thread's events in a row, so an end on one thread may come before its start on another.
#[derive(Debug, Default)]
pub(super) struct AsyncSlices {
    open: OpenSlices,
    /// By id and name, time, and a number of their own.
    early: BTreeMap<(u64, Timestamp, u64), Early>,
    early_ends: u64,
    tracks: FxHashMap<(Option<u64>, u64), u64>,
}

impl AsyncSlices {
    /// Starts a slice; `false` if too many are open already.
    pub(super) fn begin(&mut self, sink: &mut impl EventSink, head: &Head<'_>) -> bool {
        if self.open.len() >= MAX_OPEN {
            return false;
        }
        let track = self.track(sink, head);
        let (at, category, name, args) = (head.at, head.category, head.name.to_owned(), owned(head.args));
        let slice = Open { track, at, category, name, args };
        if let Some((at, end)) = self.take_early(head) {
            slice.begin(sink);
            sink.event(&Event::SliceEnd(SliceEnd { track, at, args: &values(&end.args) }));
        } else {
            self.open.push(head.key, slice);
        }
        true
    }

    /// Returns the end of a slice that starts, if it came earlier in the file, with its time.
    fn take_early(&mut self, head: &Head<'_>) -> Option<(Timestamp, Early)> {
        let named = name_key(head.key, head.name);
        // An end at the same moment belongs to an earlier slice whose start is missing.
        let (place, _) = self.early.range((named, head.at, u64::MAX)..).next()?;
        let (of, at, number) = *place;
        let end = if of == named { self.early.remove(&(of, at, number)) } else { None };
        end.map(|end| (at, end))
    }

    /// Ends a slice: the innermost one with the name, else the innermost. If none is open, the end at this position of
    /// the file waits for its start; `false` if too many do.
    pub(super) fn end(&mut self, sink: &mut impl EventSink, head: &Head<'_>, offset: u64) -> bool {
        let Some(slice) = self.open.take(head.key, head.name) else {
            let has_room = self.early.len() < MAX_OPEN;
            if has_room {
                self.early_ends += 1;
                let place = (name_key(head.key, head.name), head.at, self.early_ends);
                self.early.insert(place, Early { args: owned(head.args), offset });
            }
            return has_room;
        };
        slice.begin(sink);
        sink.event(&Event::SliceEnd(SliceEnd { track: slice.track, at: head.at, args: head.args }));
        true
    }

    pub(super) fn instant(&mut self, sink: &mut impl EventSink, head: &Head<'_>) {
        let track = self.track(sink, head);
        let Head { at, category, name, args, .. } = *head;
        let location = SourceLocation::default();
        sink.event(&Event::Instant(Instant { track, at, category, name, node: None, location, args }));
    }

    /// Reports the slices that never ended, by start, and counts the ends whose start never came.
    pub(super) fn finish(&mut self, sink: &mut impl EventSink, diagnostics: &mut Diagnostics) {
        let mut places: Vec<u64> = self.early.values().map(|end| end.offset).collect();
        places.sort_unstable();
        for place in places {
            diagnostics.count_at(DiagnosticKind::EndWithoutBegin, place);
        }
        let mut open = std::mem::take(&mut self.open).into_slices();
        open.sort_by(|a, b| (a.at, a.track, &a.name).cmp(&(b.at, b.track, &b.name)));
        for slice in open {
            slice.begin(sink);
        }
    }

    /// Returns the track of a slice: the track of the enclosing slice, or else the one for its name.
    fn track(&mut self, sink: &mut impl EventSink, head: &Head<'_>) -> u64 {
        if let Some(around) = self.open.innermost(head.key) {
            return around.track;
        }
        let own = (head.parent, hash_bytes(head.name.as_bytes()));
        if let Some(track) = self.tracks.get(&own) {
            return *track;
        }
        let is_full = self.tracks.len() >= MAX_TRACKS;
        let name = if is_full { "asynchronous" } else { head.name };
        let parent = if is_full { None } else { head.parent };
        let next = FIRST_TRACK + self.tracks.len() as u64;
        *self.tracks.entry((parent, hash_bytes(name.as_bytes()))).or_insert_with(|| {
            sink.event(&Event::Track(Track { track: next, parent, kind: TrackKind::Other, name, tid: 0 }));
            next
        })
    }
}

pub(super) fn identity(texts: &[&str], numbers: &[u64]) -> u64 {
    let texts = texts.iter().map(|text| hash_bytes(text.as_bytes()));
    texts.chain(numbers.iter().copied()).fold(0, |hash: u64, part| {
        (hash.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The track of each slice.
    #[derive(Default)]
    struct Tracks(Vec<u64>);

    impl EventSink for Tracks {
        fn event(&mut self, event: &Event<'_>) {
            if let Event::SliceBegin(slice) = event {
                self.0.push(slice.track);
            }
        }
    }

    #[test]
    fn a_name_keeps_its_track_when_there_are_too_many() {
        let (mut slices, mut sink) = (AsyncSlices::default(), Tracks::default());
        let mut add = |name: &str, key: u64| {
            let head =
                Head { key, parent: None, at: Timestamp(key), category: Category::Other, name, args: &[] };
            assert!(slices.begin(&mut sink, &head) && slices.end(&mut sink, &head, 0));
        };
        add("first", 0);
        (1..=MAX_TRACKS as u64).for_each(|key| add(&format!("name {key}"), key));
        add("first", MAX_TRACKS as u64 + 1);
        let [first, .., shared, again] = sink.0[..] else { panic!("{:?}", sink.0) };
        assert_ne!(shared, first, "the track of all further names");
        assert_eq!(again, first);
    }
}
