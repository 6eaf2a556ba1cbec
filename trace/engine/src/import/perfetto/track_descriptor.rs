//! Track descriptors.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Event, EventSink, Process, Track, TrackKind, TrackOrder};
use syclscope_language::producer::Producer;
use syclscope_language::time::Timestamp;

use super::Reader;
use super::interned::Sequence;
use crate::convention::{DERIVED, is_record_track, kind_of_track_description};
use crate::import::async_slices::identity;
use crate::proto::fields::{counter, process, thread, track};
use crate::proto::walk::{Fields, Value};

#[derive(Clone, Copy, Debug)]
pub(super) struct CounterState {
    /// True if it can be derived from other events.
    pub(super) derived: bool,
    /// True if its samples are differences.
    pub(super) incremental: bool,
    /// Multiplier of integer samples.
    pub(super) multiplier: f64,
    /// Its last value.
    pub(super) value: f64,
}

/// A thread whose process was not announced yet.
#[derive(Debug)]
struct Orphan {
    track: u64,
    tid: u32,
    name: String,
}

#[derive(Debug, Default)]
pub(super) struct KnownTracks {
    pub(super) counters: FxHashMap<u64, CounterState>,
    /// Tracks of processes, to find the parents of threads.
    processes: FxHashMap<u64, u64>,
    /// Tracks of threads, by process and thread id.
    threads: FxHashMap<(u32, u32), u64>,
    pids: FxHashMap<u64, u32>,
    orphans: FxHashMap<u32, Vec<Orphan>>,
    /// Hash of the name, parent and kind of each named track.
    names: FxHashMap<u64, u64>,
    first_process: Option<(u32, String, String)>,
    /// Tracks without a name, with their parents: they take the name of their first event.
    nameless: FxHashMap<u64, Option<u64>>,
}

impl KnownTracks {
    /// Returns the track of the process that a track belongs to.
    pub(super) fn process_of(&self, track: u64) -> Option<u64> {
        self.processes.get(&u64::from(*self.pids.get(&track)?)).copied()
    }
}

#[derive(Default)]
struct Descriptor<'p> {
    uuid: u64,
    parent: Option<u64>,
    name: &'p str,
    description: &'p str,
    process: Option<Identity<'p>>,
    thread: Option<Identity<'p>>,
    /// Kind of process in Chrome.
    chrome: u64,
    rank: Option<i32>,
    counter: Option<(CounterState, CounterName<'p>)>,
}

#[derive(Default)]
struct Identity<'p> {
    pid: u64,
    tid: u64,
    name: &'p str,
    /// The program and its arguments.
    command_line: Vec<&'p str>,
    label: &'p str,
}

#[derive(Clone, Copy, Default)]
struct CounterName<'p> {
    kind: u64,
    unit: u64,
    unit_name: &'p str,
}

impl<S: EventSink> Reader<S> {
    pub(super) fn track_descriptor(&mut self, body: &[u8]) {
        let descriptor = self.read_descriptor(body);
        if is_record_track(descriptor.uuid) {
            return;
        }
        let Descriptor { uuid, mut parent, name, description, process, thread, chrome, rank, counter } =
            descriptor;
        if let Some((state, _)) = counter {
            self.tracks.counters.insert(uuid, state);
            if state.derived {
                return;
            }
        }
        let mut tid = 0;
        let mut made_up = String::new();
        let mut orphans = Vec::new();
        let mut orphan_of = None;
        let (kind, own_name) = if let Some(process) = process {
            self.tracks.processes.insert(process.pid, uuid);
            self.tracks.pids.insert(uuid, process.pid as u32);
            if !self.own {
                orphans = self.tracks.orphans.remove(&(process.pid as u32)).unwrap_or_default();
                self.first_process(&process);
                made_up = process_name(&process, chrome);
            }
            (TrackKind::Process, process.name)
        } else if let Some(thread) = thread {
            tid = u32::try_from(thread.tid).unwrap_or_default();
            self.tracks.threads.insert((thread.pid as u32, tid), uuid);
            self.tracks.pids.insert(uuid, thread.pid as u32);
            if !self.own {
                parent = parent.or_else(|| self.tracks.processes.get(&thread.pid).copied());
                made_up = format!("thread {}", thread.tid);
                orphan_of = parent.is_none().then_some(thread.pid as u32);
            }
            (TrackKind::Thread, thread.name)
        } else if let Some((_, counter)) = counter {
            if !self.own {
                made_up = counter_name(name, &counter);
            }
            (TrackKind::Counter, if made_up.is_empty() { name } else { made_up.as_str() })
        } else {
            if let Some(pid) = parent.and_then(|parent| self.tracks.pids.get(&parent)) {
                self.tracks.pids.insert(uuid, *pid);
            }
            (kind_of_track_description(description), name)
        };
        let named = [own_name, name].into_iter().find(|name| !name.is_empty());
        let found = match kind {
            TrackKind::Process if !made_up.is_empty() => &made_up,
            _ => named.unwrap_or(&made_up),
        };
        // Other tools announce a track repeatedly, sometimes without its name.
        let is_told = !self.own && {
            let hash = identity(&[found], &[parent.unwrap_or_default(), kind as u64]);
            let known = self.tracks.names.get(&uuid).copied();
            let is_told = known == Some(hash) || (known.is_some() && named.is_none());
            if !is_told {
                self.tracks.names.insert(uuid, hash);
            }
            is_told
        };
        // A track without a name takes the name of its first event.
        if !self.own && kind == TrackKind::Other && !is_told {
            if found.is_empty() {
                self.tracks.nameless.insert(uuid, parent);
            } else {
                self.tracks.nameless.remove(&uuid);
            }
        }
        if !is_told {
            self.sink.event(&Event::Track(Track { track: uuid, parent, kind, name: found, tid }));
            if let Some(rank) = rank.filter(|rank| !self.own && *rank != 0) {
                let order = TrackOrder { at: Timestamp::ZERO, track: uuid, rank: rank.into() };
                self.sink.event(&Event::TrackOrder(order));
            }
        }
        if let Some(pid) = orphan_of.filter(|_| !is_told) {
            let orphan = Orphan { track: uuid, tid, name: found.to_owned() };
            self.tracks.orphans.entry(pid).or_default().push(orphan);
        }
        for Orphan { track, tid, name } in orphans {
            let (parent, kind) = (Some(uuid), TrackKind::Thread);
            self.sink.event(&Event::Track(Track { track, parent, kind, name: &name, tid }));
        }
    }

    /// Names an unnamed track after its first event.
    pub(super) fn name_after(&mut self, track: u64, name: &str) {
        if self.tracks.nameless.is_empty() || name.is_empty() {
            return;
        }
        if let Some(parent) = self.tracks.nameless.remove(&track) {
            let kind = TrackKind::Other;
            self.sink.event(&Event::Track(Track { track, parent, kind, name, tid: 0 }));
        }
    }

    /// Returns the track of a thread by its ids; announced if it is new.
    pub(super) fn thread_track(&mut self, pid: u32, tid: u32, name: &str) -> u64 {
        if let Some(track) = self.tracks.threads.get(&(pid, tid)) {
            return *track;
        }
        let track = identity(&["thread"], &[pid.into(), tid.into()]);
        self.tracks.threads.insert((pid, tid), track);
        self.tracks.pids.insert(track, pid);
        let parent = self.tracks.processes.get(&u64::from(pid)).copied();
        let made_up = format!("thread {tid}");
        let name = if name.is_empty() { &made_up } else { name };
        self.sink.event(&Event::Track(Track { track, parent, kind: TrackKind::Thread, name, tid }));
        track
    }

    /// Returns the track of an event that names another thread.
    pub(super) fn overridden_track(&mut self, track: u64, pid: Option<u32>, tid: Option<u32>) -> u64 {
        let pid = pid.or_else(|| self.tracks.pids.get(&track).copied()).unwrap_or_default();
        match tid {
            Some(tid) => self.thread_track(pid, tid, ""),
            None => self.tracks.processes.get(&u64::from(pid)).copied().unwrap_or(track),
        }
    }

    /// Notes the first process, with the last name that the file gives it.
    fn first_process(&mut self, process: &Identity<'_>) {
        let pid = u32::try_from(process.pid).unwrap_or_default();
        let first = self.tracks.first_process.get_or_insert_with(|| (pid, String::new(), String::new()));
        let (known, name, command_line) = first;
        if *known != pid {
            return;
        }
        if !process.name.is_empty() {
            process.name.clone_into(name);
        }
        if !process.command_line.is_empty() {
            *command_line = process.command_line.join(" ");
        }
    }

    /// Adds the process of another tool at the end, when the tool is known.
    pub(super) fn tell_process(&mut self) {
        let recorder = if self.gpu.has_any() { Producer::GpuStages.as_str() } else { "" };
        let first = self.tracks.first_process.take();
        if self.own || (first.is_none() && recorder.is_empty()) {
            return;
        }
        let (pid, name, command_line) = first.unwrap_or_default();
        let (name, command_line) = (name.as_str(), command_line.as_str());
        self.sink.event(&Event::Process(Process { pid, name, command_line, recorder, ..Process::default() }));
    }

    fn read_descriptor<'p>(&mut self, body: &'p [u8]) -> Descriptor<'p> {
        let mut read = Descriptor::default();
        for field in Fields::new(body).readable() {
            match (field.number, field.value) {
                (track::UUID, Value::Varint(value)) => read.uuid = value,
                (track::PARENT_UUID, Value::Varint(value)) => read.parent = Some(value),
                (track::NAME | track::STATIC_NAME | track::ATRACE_NAME, Value::Bytes(bytes)) => {
                    read.name = self.text(bytes);
                }
                (track::DESCRIPTION, Value::Bytes(bytes)) => read.description = self.text(bytes),
                (track::SIBLING_ORDER_RANK, Value::Varint(value)) => {
                    read.rank = Some((value as u32).cast_signed());
                }
                (track::PROCESS, Value::Bytes(body)) => {
                    read.process = Some(self.identity(body, process::PID, process::PROCESS_NAME));
                }
                (track::CHROME_PROCESS, Value::Bytes(body)) => {
                    for field in Fields::new(body).readable() {
                        if let (process::CHROME_TYPE, Value::Varint(value)) = (field.number, field.value) {
                            read.chrome = value;
                        }
                    }
                }
                (track::THREAD, Value::Bytes(body)) => {
                    read.thread = Some(self.identity(body, thread::TID, thread::THREAD_NAME));
                }
                (track::COUNTER, Value::Bytes(body)) => read.counter = Some(self.read_counter(body)),
                _ => {}
            }
        }
        read
    }

    fn identity<'p>(&mut self, body: &'p [u8], tid: u32, name: u32) -> Identity<'p> {
        let mut found = Identity::default();
        for field in Fields::new(body).readable() {
            match field.value {
                Value::Varint(value) => {
                    if field.number == process::PID {
                        found.pid = value;
                    }
                    if field.number == tid {
                        found.tid = value;
                    }
                }
                Value::Bytes(bytes) if field.number == name => found.name = self.text(bytes),
                Value::Bytes(bytes) if field.number == process::CMDLINE => {
                    found.command_line.push(self.text(bytes));
                }
                Value::Bytes(bytes) if field.number == process::LABELS && found.label.is_empty() => {
                    found.label = self.text(bytes);
                }
                _ => {}
            }
        }
        found
    }

    fn read_counter<'p>(&mut self, body: &'p [u8]) -> (CounterState, CounterName<'p>) {
        let mut state = CounterState { derived: false, incremental: false, multiplier: 1.0, value: 0.0 };
        let mut name = CounterName::default();
        for field in Fields::new(body).readable() {
            match (field.number, field.value) {
                (counter::TYPE, Value::Varint(value)) => name.kind = value,
                (counter::CATEGORIES, Value::Bytes(bytes)) => state.derived |= bytes == DERIVED.as_bytes(),
                (counter::UNIT, Value::Varint(value)) => name.unit = value,
                (counter::UNIT_NAME, Value::Bytes(bytes)) => name.unit_name = self.text(bytes),
                (counter::UNIT_MULTIPLIER, Value::Varint(value)) if value != 0 => {
                    state.multiplier = value.cast_signed() as f64;
                }
                (counter::IS_INCREMENTAL, Value::Varint(value)) => state.incremental = value != 0,
                _ => {}
            }
        }
        (state, name)
    }
}

/// Returns the displayed name of a process: its own, its kind in Chrome, or its number; with its label.
fn process_name(process: &Identity<'_>, chrome: u64) -> String {
    let kind = match chrome {
        1 => "Browser",
        2 => "Renderer",
        3 => "Utility",
        4 => "Zygote",
        6 => "GPU Process",
        9 => "Network Service",
        10 => "Tracing Service",
        11 => "Storage Service",
        12 => "Audio Service",
        _ => "",
    };
    let mut name = match (process.name, kind) {
        ("", "") => format!("process {}", process.pid),
        ("", kind) => kind.to_owned(),
        (name, _) => name.to_owned(),
    };
    if !process.label.is_empty() {
        name = format!("{name} · {}", process.label);
    }
    name
}

fn counter_name(name: &str, counter: &CounterName<'_>) -> String {
    let name = match (name, counter.kind) {
        ("", 1) => "thread time",
        ("", 2) => "thread instructions",
        (name, _) => name,
    };
    let unit = match (counter.unit_name, counter.unit) {
        ("", 1) => "ns",
        ("", 3) => "bytes",
        (unit, _) => unit,
    };
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

impl<S: EventSink> Reader<S> {
    /// Reads a thread descriptor of an older file: the thread of all events of a sequence, and the origin of its times.
    pub(super) fn thread_descriptor(&mut self, sequence: &mut Sequence, body: &[u8]) {
        let (mut pid, mut tid, mut name) = (0, 0, "");
        for field in Fields::new(body).readable() {
            match (field.number, field.value) {
                (thread::PID, Value::Varint(value)) => pid = value as u32,
                (thread::TID, Value::Varint(value)) => tid = value as u32,
                (thread::THREAD_NAME, Value::Bytes(bytes)) => name = self.text(bytes),
                (thread::REFERENCE_TIMESTAMP_US, Value::Varint(value)) => {
                    sequence.last_us = value.cast_signed();
                }
                _ => {}
            }
        }
        sequence.track = self.thread_track(pid, tid, name);
    }
}
