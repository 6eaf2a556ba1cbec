//! Reads the announcements of tracks.

use super::Reader;
use crate::convention::{DERIVED, is_record_track, kind_of_track_description};
use crate::event::{Event, EventSink, Process, Track, TrackKind};
use crate::proto::fields::{counter, process, thread, track};
use crate::proto::walk::{Fields, Value};

/// How the samples of a counter are to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct CounterState {
    /// It can be derived from other events.
    pub(super) derived: bool,
    /// Its samples are differences.
    pub(super) incremental: bool,
    /// What its integer samples are to be multiplied with.
    pub(super) multiplier: f64,
    /// Its last value.
    pub(super) value: f64,
}

#[derive(Default)]
struct Descriptor<'a> {
    uuid: u64,
    parent: Option<u64>,
    name: &'a str,
    description: &'a str,
    process: Option<(u64, &'a str, &'a str)>,
    thread: Option<(u64, u64, &'a str)>,
    counter: Option<CounterState>,
}

impl<'a, S: EventSink> Reader<'a, '_, S> {
    pub(super) fn track_descriptor(&mut self, body: &'a [u8]) {
        let descriptor = self.read_descriptor(body);
        if is_record_track(descriptor.uuid) {
            return;
        }
        if let Some(counter) = descriptor.counter {
            self.counters.insert(descriptor.uuid, counter);
            if counter.derived {
                return;
            }
        }
        let Descriptor { uuid, mut parent, name, description, process, thread, counter } = descriptor;
        let mut tid = 0;
        let mut made_up = String::new();
        let (kind, own_name) = if let Some((pid, process_name, command_line)) = process {
            self.processes.insert(pid, uuid);
            if !self.own && !std::mem::replace(&mut self.process_known, true) {
                let pid = u32::try_from(pid).unwrap_or_default();
                let process = Process { pid, name: process_name, command_line, ..Process::default() };
                self.sink.event(&Event::Process(process));
            }
            (TrackKind::Process, process_name)
        } else if let Some((pid, thread_id, thread_name)) = thread {
            tid = u32::try_from(thread_id).unwrap_or_default();
            if !self.own {
                parent = parent.or_else(|| self.processes.get(&pid).copied());
                made_up = format!("thread {thread_id}");
            }
            (TrackKind::Thread, thread_name)
        } else if counter.is_some() {
            (TrackKind::Counter, name)
        } else {
            (kind_of_track_description(description), name)
        };
        let found = [own_name, name, &made_up].into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        self.sink.event(&Event::Track(Track { track: uuid, parent, kind, name: found, tid }));
    }

    fn read_descriptor(&mut self, body: &'a [u8]) -> Descriptor<'a> {
        let mut descriptor = Descriptor::default();
        for field in Fields::new(body).flatten() {
            match (field.number, field.value) {
                (track::UUID, Value::Varint(value)) => descriptor.uuid = value,
                (track::PARENT_UUID, Value::Varint(value)) => descriptor.parent = Some(value),
                (track::NAME | track::STATIC_NAME, Value::Bytes(bytes)) => descriptor.name = self.text(bytes),
                (track::DESCRIPTION, Value::Bytes(bytes)) => descriptor.description = self.text(bytes),
                (track::PROCESS, Value::Bytes(body)) => {
                    let (pid, _, name, command) =
                        self.identity(body, process::PID, process::PID, process::PROCESS_NAME);
                    descriptor.process = Some((pid, name, command));
                }
                (track::THREAD, Value::Bytes(body)) => {
                    let (pid, tid, name, _) =
                        self.identity(body, thread::PID, thread::TID, thread::THREAD_NAME);
                    descriptor.thread = Some((pid, tid, name));
                }
                (track::COUNTER, Value::Bytes(body)) => descriptor.counter = Some(read_counter(body)),
                _ => {}
            }
        }
        descriptor
    }

    /// Process id, thread id, name and command line of a process or thread.
    fn identity(&mut self, body: &'a [u8], pid: u32, tid: u32, name: u32) -> (u64, u64, &'a str, &'a str) {
        let mut found = (0, 0, "", "");
        for field in Fields::new(body).flatten() {
            match field.value {
                Value::Varint(value) => {
                    if field.number == pid {
                        found.0 = value;
                    }
                    if field.number == tid {
                        found.1 = value;
                    }
                }
                Value::Bytes(bytes) if field.number == name => found.2 = self.text(bytes),
                Value::Bytes(bytes) if field.number == process::CMDLINE && found.3.is_empty() => {
                    found.3 = self.text(bytes);
                }
                _ => {}
            }
        }
        found
    }
}

fn read_counter(body: &[u8]) -> CounterState {
    let mut state = CounterState { derived: false, incremental: false, multiplier: 1.0, value: 0.0 };
    for field in Fields::new(body).flatten() {
        match (field.number, field.value) {
            (counter::CATEGORIES, Value::Bytes(bytes)) => state.derived |= bytes == DERIVED.as_bytes(),
            (counter::UNIT_MULTIPLIER, Value::Varint(value)) if value != 0 => {
                state.multiplier = value.cast_signed() as f64;
            }
            (counter::IS_INCREMENTAL, Value::Varint(value)) => state.incremental = value != 0,
            _ => {}
        }
    }
    state
}
