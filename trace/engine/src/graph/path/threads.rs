//! Lifetimes of threads: first and last event, the main thread, and joins.

use rustc_hash::FxHashMap;
use syclscope_language::event::TrackKind;

use crate::graph::silence::is_silent;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// A thread's first and last event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) track: u32,
    pub(super) process: u32,
    pub(super) first: u64,
    pub(super) last: u64,
}

#[derive(Debug)]
pub(super) struct Threads {
    by_track: FxHashMap<u32, Thread>,
    /// The first thread of each process.
    mains: FxHashMap<u32, u32>,
    /// By process: the threads by their last event.
    ended: FxHashMap<u32, Vec<Thread>>,
    /// Joined threads, each with its index in `ended`.
    joined: Vec<(usize, Thread)>,
}

impl Threads {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut threads = Self {
            by_track: FxHashMap::default(),
            mains: FxHashMap::default(),
            ended: FxHashMap::default(),
            joined: Vec::new(),
        };
        for (track, row) in trace.tracks.iter().enumerate() {
            if row.kind != TrackKind::Thread {
                continue;
            }
            let lanes = row.lane_range();
            let Some(first) = trace.slices.lane(lanes.start).next().filter(|_| !lanes.is_empty()) else {
                continue;
            };
            let mut thread = Thread {
                track: track as u32,
                process: row.process,
                first: trace.slices.start.at(first),
                last: 0,
            };
            for slice in lanes.filter_map(|lane| trace.slices.lane(lane).next_back()) {
                thread.last = thread.last.max(trace.slices.end(slice));
            }
            let main = threads.mains.entry(row.process).or_insert(thread.track);
            if threads.by_track.get(main).is_some_and(|main| thread.first < main.first) {
                *main = thread.track;
            }
            threads.by_track.insert(thread.track, thread);
            threads.ended.entry(row.process).or_default().push(thread);
        }
        threads.ended.values_mut().for_each(|all| all.arrange_by_key(|thread| (thread.last, thread.track)));
        threads
    }

    pub(super) fn get(&self, track: u32) -> Option<Thread> {
        self.by_track.get(&track).copied()
    }

    pub(super) fn firsts(&self) -> impl Iterator<Item = u64> {
        self.by_track.values().map(|thread| thread.first)
    }

    pub(super) fn main(&self, process: u32) -> Option<Thread> {
        self.get(*self.mains.get(&process)?)
    }

    /// Returns the main thread of the process whose thread had the last event, and that event's time.
    pub(super) fn last(&self) -> Option<(Thread, u64)> {
        let last =
            self.by_track.values().max_by_key(|thread| (thread.last, std::cmp::Reverse(thread.track)))?;
        Some((self.main(last.process)?, last.last))
    }

    /// Returns the other thread of the process that ended last, after `from` and no later than `to`, if this one has no
    /// event during the other's lifetime: then this one created and joined it. Runtimes record neither.
    pub(super) fn join(&mut self, trace: &Trace, thread: &Thread, from: u64, to: u64) -> Option<Thread> {
        let ended = self.ended.get_mut(&thread.process)?;
        let upto = ended.partition_point(|other| other.last <= to);
        let in_range = (0..upto).rev().take_while(|place| ended[*place].last > from);
        let may_be_joined = |place: &usize| {
            let Thread { track, first, last, .. } = ended[*place];
            track != thread.track && is_silent(trace, thread.track, first, last)
        };
        let place = in_range.into_iter().find(may_be_joined)?;
        // A thread is joined once.
        let thread = ended.remove(place);
        self.joined.push((place, thread));
        Some(thread)
    }

    pub(super) fn put_back(&mut self) {
        while let Some((place, thread)) = self.joined.pop() {
            if let Some(ended) = self.ended.get_mut(&thread.process) {
                ended.insert(place, thread);
            }
        }
    }
}
