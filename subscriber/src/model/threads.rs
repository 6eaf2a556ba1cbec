//! The program's threads: their tracks, and the open slices of each.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Args, Event, EventSink, SliceEnd, Track, TrackKind};
use syclscope_language::time::Timestamp;

use super::open::{Memo, Open, OpenMemory};
use super::process::{PROCESS_TRACK, thread_name};
use crate::buffer::Kind;

/// Maximum number of remembered starts of a thread whose slices a pause has ended; beyond it, the oldest are forgotten.
const MAX_CUT: usize = 64;

#[derive(Default)]
pub(super) struct Threads {
    all: FxHashMap<u32, Thread>,
    /// Tracks besides the process's.
    tracks: u64,
}

struct Thread {
    track: u64,
    name: String,
    open: Vec<Open>,
    /// Calls and memory operations whose slices a pause has ended. They still run, and their results change the model.
    cut: Vec<Open>,
    /// Time of its last start or end of a slice.
    last: Timestamp,
}

impl Threads {
    /// Returns the track of a thread, announced when the thread first appears.
    pub(super) fn track(&mut self, thread: u32, sink: &mut dyn EventSink) -> u64 {
        self.get(thread, "", sink).track
    }

    /// Returns the track of a thread, or of an earlier one with its id; `None` before either has appeared.
    pub(super) fn known_track(&self, thread: u32) -> Option<u64> {
        Some(self.all.get(&thread)?.track)
    }

    pub(super) fn new_track(&mut self) -> u64 {
        next_track(&mut self.tracks)
    }

    fn get(&mut self, thread: u32, known_name: &str, sink: &mut dyn EventSink) -> &mut Thread {
        let Self { all, tracks } = self;
        all.entry(thread).or_insert_with(|| announce(tracks, thread, thread_name(thread, known_name), sink))
    }

    /// Starts a thread and notes its name, which stays after the thread's end.
    ///
    /// The operating system may have given the id to an earlier thread. Open slices of the earlier thread have lost
    /// their ends to a full buffer, and end with that thread's last event. A thread with another name gets a separate
    /// track.
    pub(super) fn thread_begin(
        &mut self,
        thread: u32,
        known_name: &str,
        is_over: impl Fn() -> bool,
        sink: &mut dyn EventSink,
    ) {
        let mut name = thread_name(thread, known_name);
        // Checked after the name was read: the thread may have ended meanwhile, and its id may have been reused.
        if is_over() && !known_name.is_empty() {
            known_name.clone_into(&mut name);
        }
        if let Some(before) = self.all.get_mut(&thread) {
            for _ in before.open.drain(..) {
                sink.event(&Event::SliceEnd(SliceEnd { track: before.track, at: before.last, args: &[] }));
            }
            before.cut.clear();
            if before.name == name {
                return;
            }
        }
        let new = announce(&mut self.tracks, thread, name, sink);
        self.all.insert(thread, new);
    }

    pub(super) fn end_all(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        for Thread { track, open, cut, last, .. } in self.all.values_mut() {
            for open in open.drain(..) {
                *last = at.max(*last);
                sink.event(&Event::SliceEnd(SliceEnd { track: *track, at: *last, args: &[] }));
                if matches!(open.memo, Memo::Call(_) | Memo::Memory(_)) {
                    cut.push(open);
                }
            }
            cut.drain(..cut.len().saturating_sub(MAX_CUT));
        }
    }

    /// Takes the start, found as by [`Threads::find`], of a call or memory operation whose slice a pause has ended.
    pub(super) fn take_cut(&mut self, thread: u32, end: Kind, id: [u64; 2]) -> Option<Open> {
        let cut = &mut self.all.get_mut(&thread)?.cut;
        let position = find(cut, end, id)?;
        Some(cut.remove(position))
    }

    pub(super) fn begin(&mut self, thread: u32, at: Timestamp, open: Open, sink: &mut dyn EventSink) {
        let thread = self.get(thread, "", sink);
        thread.last = at;
        thread.open.push(open);
    }

    /// Returns the position of the open slice that a record of this kind and id ends; `None` without its start.
    ///
    /// Ends match starts by instance; older runtimes count instances differently, so the id decides. Slices above it
    /// have lost their own end to a full buffer.
    pub(super) fn find(&self, thread: u32, end: Kind, id: [u64; 2]) -> Option<usize> {
        find(&self.all.get(&thread)?.open, end, id)
    }

    pub(super) fn inputs(&mut self, thread: u32, position: usize) -> Option<Box<[u8]>> {
        self.all.get_mut(&thread)?.open.get_mut(position)?.take_inputs()
    }

    /// Ends the slice at a position that [`Threads::find`] gave, and everything above it.
    pub(super) fn close(
        &mut self,
        thread: u32,
        position: usize,
        at: Timestamp,
        args: Args<'_>,
        sink: &mut dyn EventSink,
    ) -> Option<Open> {
        let thread = self.all.get_mut(&thread)?;
        for _ in position + 1..thread.open.len() {
            sink.event(&Event::SliceEnd(SliceEnd { track: thread.track, at, args: &[] }));
        }
        sink.event(&Event::SliceEnd(SliceEnd { track: thread.track, at, args }));
        thread.last = at;
        thread.open.truncate(position + 1);
        thread.open.pop()
    }

    pub(super) fn end(
        &mut self,
        thread: u32,
        end: Kind,
        id: [u64; 2],
        at: Timestamp,
        args: Args<'_>,
        sink: &mut dyn EventSink,
    ) -> Option<Open> {
        let position = self.find(thread, end, id)?;
        self.close(thread, position, at, args, sink)
    }

    /// Notes that a call of the innermost submission has failed.
    pub(super) fn call_failed(&mut self, thread: u32) {
        let open = self.all.get_mut(&thread).and_then(|thread| thread.open.last_mut());
        if let Some(open) = open.filter(|open| open.end == Kind::TaskEnd) {
            open.memo = Memo::Failed;
        }
    }

    /// Ends a submission with a failed call: the thread creates another command, so an exception has ended it.
    pub(super) fn give_up_failed(&mut self, thread: u32, sink: &mut dyn EventSink) {
        let Some(Thread { track, open, last, .. }) = self.all.get_mut(&thread) else { return };
        if open.pop_if(|open| matches!(open.memo, Memo::Failed)).is_some() {
            sink.event(&Event::SliceEnd(SliceEnd { track: *track, at: *last, args: &[] }));
        }
    }

    pub(super) fn task(&self, thread: u32) -> Option<u64> {
        self.all.get(&thread)?.open.iter().rev().find(|open| open.end == Kind::TaskEnd)?.node
    }

    /// Returns the node of the innermost open slice with one.
    pub(super) fn node(&self, thread: u32) -> Option<u64> {
        self.all.get(&thread)?.open.iter().rev().find_map(|open| open.node)
    }

    pub(super) fn memory(&mut self, thread: u32) -> Option<&mut OpenMemory> {
        self.all.get_mut(&thread)?.open.iter_mut().rev().find_map(|open| match &mut open.memo {
            Memo::Memory(memory) => Some(memory),
            _ => None,
        })
    }
}

fn find(open: &[Open], end: Kind, id: [u64; 2]) -> Option<usize> {
    let innermost =
        |is_it: &dyn Fn(&Open) -> bool| open.iter().rposition(|open| open.end == end && is_it(open));
    innermost(&|open| open.id == id)
        .or_else(|| innermost(&|open| open.id[1] == id[1]))
        .or_else(|| innermost(&|open| open.id[0] == id[0] && id[0] != 0))
}

fn next_track(tracks: &mut u64) -> u64 {
    *tracks += 1;
    PROCESS_TRACK + *tracks
}

fn announce(tracks: &mut u64, thread: u32, name: String, sink: &mut dyn EventSink) -> Thread {
    let track = next_track(tracks);
    sink.event(&Event::Track(Track {
        track,
        parent: Some(PROCESS_TRACK),
        kind: TrackKind::Thread,
        name: &name,
        tid: thread,
    }));
    Thread { track, name, open: Vec::new(), cut: Vec::new(), last: Timestamp(0) }
}
