//! Tracks that are made up for the processes, threads and counters of another program.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Event, EventSink, Process, Track, TrackKind};

use super::Reader;
use super::record::Record;
use crate::hash::hash_bytes;

/// A process as far as it is known.
#[derive(Debug, Default)]
pub(super) struct KnownProcess {
    pub(super) track: u64,
    pub(super) name: String,
    pub(super) labels: String,
}

/// Tracks that were made up.
#[derive(Debug, Default)]
pub(super) struct Names {
    next: u64,
    pub(super) processes: FxHashMap<u64, KnownProcess>,
    threads: FxHashMap<(u64, u64), u64>,
    /// By process, name of the counter, identity and name of the value.
    counters: FxHashMap<(u64, u64, u64, u64), u64>,
    /// The thread of the event before, which is most often that of the next one, with its track.
    pub(super) last: Option<(u64, u64, u64)>,
    process_known: bool,
}

impl Names {
    fn make_up(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl<S: EventSink> Reader<S> {
    /// The track of an event's thread.
    pub(super) fn track(&mut self, record: &Record<'_>) -> u64 {
        if let Some((pid, tid, track)) = self.names.last
            && (pid, tid) == (record.pid, record.tid)
        {
            return track;
        }
        let key = (record.pid, record.tid);
        let own = if self.own { self.tracks.get(&key).copied() } else { None };
        let track = own.unwrap_or_else(|| self.thread_track(record, ""));
        self.names.last = Some((record.pid, record.tid, track));
        track
    }

    /// The track of a thread; announced when it is new or gets a name.
    pub(super) fn thread_track(&mut self, record: &Record<'_>, name: &str) -> u64 {
        let key = (record.pid, record.tid);
        let known = self.names.threads.get(&key).copied();
        if let (Some(track), "") = (known, name) {
            return track;
        }
        let parent = self.process_track(record);
        let track = known.unwrap_or_else(|| self.names.make_up());
        self.names.threads.insert(key, track);
        let made_up = match record.tid_name {
            Some(name) => or_what(record.resolve(name), "thread"),
            None => format!("thread {}", record.tid),
        };
        let name = if name.is_empty() { &made_up } else { name };
        let tid = if record.tid_name.is_some() { None } else { u32::try_from(record.tid).ok() };
        self.announce(track, Some(parent), TrackKind::Thread, name, tid.unwrap_or_default());
        track
    }

    /// The track of an event's process; announced when it is new.
    pub(super) fn process_track(&mut self, record: &Record<'_>) -> u64 {
        if let Some(known) = self.names.processes.get(&record.pid) {
            return known.track;
        }
        let name = match record.pid_name {
            Some(name) => or_what(record.resolve(name), "process"),
            None => format!("process {}", record.pid),
        };
        let track = self.names.make_up();
        self.announce(track, None, TrackKind::Process, &name, 0);
        self.names.processes.insert(record.pid, KnownProcess { track, name, labels: String::new() });
        track
    }

    /// Tells a process' name anew.
    pub(super) fn rename_process(&mut self, record: &Record<'_>) {
        let Some(known) = self.names.processes.get(&record.pid) else { return };
        let track = known.track;
        let (name, labels) = (known.name.clone(), known.labels.clone());
        if !std::mem::replace(&mut self.names.process_known, true) {
            let pid = u32::try_from(record.pid).unwrap_or_default();
            self.sink.event(&Event::Process(Process { pid, name: &name, ..Process::default() }));
        }
        let shown = if labels.is_empty() { name } else { format!("{name} · {labels}") };
        self.announce(track, None, TrackKind::Process, &shown, 0);
    }

    /// The track of one value of a counter.
    pub(super) fn counter_track(&mut self, record: &Record<'_>, key: &str) -> u64 {
        let name = record.resolve(record.name);
        let id = record.id.map_or(0, |(id, _)| id);
        let hash = |text: &str| hash_bytes(text.as_bytes());
        let known = (record.pid, hash(name), id, hash(key));
        if let Some(track) = self.names.counters.get(&known) {
            return *track;
        }
        let mut shown = name.to_owned();
        if id != 0 {
            shown.push_str(&format!(" {id:#x}"));
        }
        if key != "value" && key != name {
            shown.push(' ');
            shown.push_str(key);
        }
        let parent = self.process_track(record);
        let track = self.names.make_up();
        self.announce(track, Some(parent), TrackKind::Counter, &shown, 0);
        self.names.counters.insert(known, track);
        track
    }

    fn announce(&mut self, track: u64, parent: Option<u64>, kind: TrackKind, name: &str, tid: u32) {
        self.sink.event(&Event::Track(Track { track, parent, kind, name, tid }));
    }
}

/// A name, or what it would be the name of.
fn or_what(name: &str, what: &str) -> String {
    if name.is_empty() { what.to_owned() } else { name.to_owned() }
}
