//! Tracks created for the processes, threads and counters of another tool.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{Event, EventSink, Track, TrackKind};

use super::Reader;
use super::record::Record;
use crate::hash::hash_bytes;
use crate::import::producers;

#[derive(Debug, Default)]
pub(super) struct KnownProcess {
    pub(super) track: u64,
    pub(super) name: String,
    pub(super) labels: String,
    pub(super) is_device: bool,
    pub(super) is_named: bool,
}

#[derive(Clone, Debug, Default)]
struct KnownThread {
    track: u64,
    name: String,
    is_queue: bool,
}

#[derive(Debug, Default)]
pub(super) struct Names {
    next: u64,
    pub(super) processes: FxHashMap<u64, KnownProcess>,
    /// Process ids in the order of their first appearance.
    pub(super) order: Vec<u64>,
    threads: FxHashMap<(u64, u64), KnownThread>,
    /// Tracks next to a queue, by name.
    beside: FxHashMap<(u64, u64, &'static str), u64>,
    /// By process, name of the counter, identity and name of the value.
    counters: FxHashMap<(u64, u64, u64, u64), u64>,
    /// The previous event's thread, which is most often the next event's too, with its track.
    pub(super) last: Option<(u64, u64, u64)>,
}

impl Names {
    /// Ids of the device processes with device work.
    pub(super) fn with_queues(&self) -> FxHashSet<u64> {
        let queues = self.threads.iter().filter(|(_, thread)| thread.is_queue);
        queues.map(|((pid, _), _)| *pid).collect()
    }

    fn make_up(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl<S: EventSink> Reader<S> {
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

    /// Returns the track of a thread; announced if it is new or gets a name.
    pub(super) fn thread_track(&mut self, record: &Record<'_>, name: &str) -> u64 {
        let key = (record.pid, record.tid);
        let mut thread = match self.names.threads.get(&key) {
            Some(thread) if name.is_empty() => return thread.track,
            Some(thread) => thread.clone(),
            None => KnownThread { track: self.names.make_up(), ..KnownThread::default() },
        };
        let parent = self.process_track(record);
        let made_up = match record.tid_name {
            Some(name) => or_what(record.resolve(name), "thread"),
            None => made_up_name(record),
        };
        // Kineto appends a space to the names of streams.
        thread.name = if name.is_empty() { made_up } else { name.trim_end().to_owned() };
        let device = self.names.processes.get(&record.pid).filter(|process| process.is_device);
        let on_device = device.is_some();
        if let (Some(producer), Some(device)) = (self.producer, device) {
            thread.is_queue |= producers::is_queue(producer, &device.name, &thread.name);
        }
        let kind = match (on_device, thread.is_queue) {
            (_, true) => TrackKind::Queue,
            (true, false) => TrackKind::Other,
            (false, false) => TrackKind::Thread,
        };
        let tid = if record.tid_name.is_some() || on_device { None } else { u32::try_from(record.tid).ok() };
        self.announce(thread.track, Some(parent), kind, &thread.name, tid.unwrap_or_default());
        let track = thread.track;
        self.names.threads.insert(key, thread);
        track
    }

    /// Returns two flags: true if an event's process is a device, and true if its thread is a queue of that device.
    pub(super) fn on_device(&self, record: &Record<'_>) -> (bool, bool) {
        let thread = self.names.threads.get(&(record.pid, record.tid));
        let process = self.names.processes.get(&record.pid);
        (process.is_some_and(|process| process.is_device), thread.is_some_and(|thread| thread.is_queue))
    }

    /// Returns the track of a device's queue, denoted by an event's thread.
    pub(super) fn queue_track(&mut self, record: &Record<'_>) -> u64 {
        let key = (record.pid, record.tid);
        if let Some(thread) = self.names.threads.get(&key)
            && thread.is_queue
        {
            return thread.track;
        }
        let device = self.process_track(record);
        if let Some(process) = self.names.processes.get_mut(&record.pid) {
            process.is_device = true;
        }
        let track = self.thread_track(record, "");
        if let Some(thread) = self.names.threads.get_mut(&key) {
            thread.is_queue = true;
            if thread.name == made_up_name(record) {
                thread.name = format!("stream {}", record.tid.cast_signed());
            }
            let name = thread.name.clone();
            self.announce(track, Some(device), TrackKind::Queue, &name, 0);
        }
        track
    }

    pub(super) fn beside_track(&mut self, record: &Record<'_>, name: &'static str) -> u64 {
        let key = (record.pid, record.tid, name);
        if let Some(track) = self.names.beside.get(&key) {
            return *track;
        }
        let device = self.process_track(record);
        if let Some(process) = self.names.processes.get_mut(&record.pid) {
            process.is_device = true;
        }
        let of = match record.tid.cast_signed() {
            // Work of the device itself.
            -1 => String::new(),
            stream => format!(" of stream {stream}"),
        };
        let track = self.names.make_up();
        self.announce(track, Some(device), TrackKind::Other, &format!("{name}{of}"), 0);
        self.names.beside.insert(key, track);
        track
    }

    /// Returns the track of an event's process; announced if it is new.
    pub(super) fn process_track(&mut self, record: &Record<'_>) -> u64 {
        if let Some(known) = self.names.processes.get(&record.pid) {
            return known.track;
        }
        let name = match record.pid_name {
            Some(name) => or_what(record.resolve(name), "process"),
            None => format!("process {}", record.pid.cast_signed()),
        };
        let track = self.names.make_up();
        self.announce(track, None, TrackKind::Process, &name, 0);
        self.names.order.push(record.pid);
        self.names.processes.insert(record.pid, KnownProcess { track, name, ..KnownProcess::default() });
        track
    }

    pub(super) fn rename_process(&mut self, record: &Record<'_>, name: Option<&str>, labels: Option<&str>) {
        self.process_track(record);
        let Some(known) = self.names.processes.get_mut(&record.pid) else { return };
        if let Some(name) = name {
            name.clone_into(&mut known.name);
            known.is_named = true;
            if let Some((producer, is_device)) = producers::of_process(name) {
                self.producer = Some(producer);
                known.is_device |= is_device;
            }
        }
        // Kineto labels eight devices or more by small numbers, whatever the machine has: in a container the program
        // may have one of them.
        let is_program = known.labels == "CPU" && !known.is_device;
        if let Some(labels) = labels.filter(|labels| !(is_program && producers::is_device_label(labels))) {
            labels.clone_into(&mut known.labels);
            known.is_device |= producers::is_device_label(labels);
        }
        let kind = if known.is_device { TrackKind::Device } else { TrackKind::Process };
        let (track, labels) = (known.track, known.labels.as_str());
        let shown =
            if labels.is_empty() { known.name.clone() } else { format!("{} · {labels}", known.name) };
        self.announce(track, None, kind, &shown, 0);
    }

    /// Announces tracks that are not threads again, after the last event: a file may declare a process to be a device
    /// after its events.
    pub(super) fn tell_no_threads(&mut self) {
        let Names { threads, processes, .. } = &self.names;
        let is_none = |process: &KnownProcess| {
            process.is_device
                || self.producer.is_some_and(|producer| producers::is_note(producer, &process.name))
        };
        let found = threads.iter().filter(|(_, thread)| !thread.is_queue).filter_map(|((pid, _), thread)| {
            let process = processes.get(pid).filter(|process| is_none(process))?;
            Some((thread.track, process.track, thread.name.clone()))
        });
        let mut found: Vec<(u64, u64, String)> = found.collect();
        found.sort_unstable();
        for (track, parent, name) in found {
            self.announce(track, Some(parent), TrackKind::Other, &name, 0);
        }
    }

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

    pub(super) fn announce(
        &mut self,
        track: u64,
        parent: Option<u64>,
        kind: TrackKind,
        name: &str,
        tid: u32,
    ) {
        self.sink.event(&Event::Track(Track { track, parent, kind, name, tid }));
    }
}

fn made_up_name(record: &Record<'_>) -> String {
    format!("thread {}", record.tid.cast_signed())
}

fn or_what(name: &str, what: &str) -> String {
    if name.is_empty() { what.to_owned() } else { name.to_owned() }
}
