//! Writer of the Chrome trace event format: one JSON array, a record a line, times in microseconds since the trace's
//! start with three decimals. `docs/FORMAT.md` gives the convention; the format is described at
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.

mod lanes;
mod text;

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    AllocationKind, Args, Event, EventSink, Execution, Flow, FlowBinding, FlowStep, Process, Queue,
    QueueOrder, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use self::lanes::{Lanes, Tids};
use self::text::{micros, print, string, value};
use super::Exporter;
use super::memory::MemoryInUse;
use super::processes::Processes;
use crate::convention::{
    DERIVED, EXECUTION_KEYS, EXECUTION_PREFIX, Keys, RECORD_TRACK_NAME, Record, SLICE_KEYS, TRACK_RECORD,
    escape_key, memory_counter_name, with_record,
};

/// First pid of devices, which are shown as processes.
const FIRST_DEVICE_PID: u32 = 1_000_000_000;

/// Streams events into a Chrome JSON array. Until [`Exporter::finish`] the array is open, which every reader of
/// the format accepts.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    started: bool,
    finished: bool,
    processes: Processes,
    tids: Tids,
    /// Names of threads, for their child tracks.
    threads: FxHashMap<u64, String>,
    counters: FxHashMap<u64, String>,
    /// Numbers of devices by process, handle and name.
    devices: FxHashMap<(u32, u64, String), usize>,
    queues: FxHashMap<u64, QueueLanes>,
    memory: MemoryInUse,
    scratch: String,
    key_scratch: String,
}

#[derive(Debug)]
struct QueueLanes {
    pid: u32,
    name: String,
    lanes: Lanes,
}

struct Head<'a> {
    phase: &'a str,
    category: &'a str,
    kind: &'a str,
    name: &'a str,
    pid: u32,
    tid: u32,
    at: Timestamp,
}

impl Writer {
    /// Returns a writer without output.
    pub fn new() -> Self {
        Self::default()
    }

    fn separator(&mut self) {
        self.out.extend_from_slice(if self.started { b",\n" } else { b"[\n" });
        self.started = true;
    }

    /// Writes the first record, so that a reader has the process before all other records, and then names for viewers.
    fn begin(&mut self, process: &Process<'_>) {
        let pid = self.processes.begin(process.pid);
        self.tids.of_track(self.processes.record_track(), pid, 0);
        with_record(&Event::Process(*process), |record| self.record(record));
        self.metadata("process_name", pid, 0, process.name);
        let (pid, tid) = self.thread(self.processes.record_track());
        self.metadata("thread_name", pid, tid, RECORD_TRACK_NAME);
    }

    fn metadata(&mut self, what: &str, pid: u32, tid: u32, name: &str) {
        self.separator();
        print(
            &mut self.out,
            format_args!(r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"args":{{"name":"#),
        );
        string(&mut self.out, name);
        self.out.extend_from_slice(b"}}");
    }

    fn head(&mut self, head: &Head<'_>) {
        self.separator();
        let out = &mut self.out;
        print(out, format_args!(r#"{{"ph":"{}""#, head.phase));
        if !head.category.is_empty() {
            print(out, format_args!(r#","cat":"{}{}""#, head.category, head.kind));
        }
        if !head.name.is_empty() {
            out.extend_from_slice(br#","name":"#);
            string(out, head.name);
        }
        print(out, format_args!(r#","pid":{},"tid":{},"ts":"#, head.pid, head.tid));
        micros(out, head.at.0);
        if head.phase == "i" {
            out.extend_from_slice(br#","s":"t""#);
        }
    }

    fn facts(&mut self, facts: &[(&str, Value<'_>)], first: &mut bool) {
        for (key, fact) in facts {
            self.key(key, first);
            value(&mut self.out, fact, &mut self.scratch);
        }
    }

    fn key(&mut self, key: &str, first: &mut bool) {
        self.out.extend_from_slice(if *first { br#","args":{"# } else { b"," });
        *first = false;
        string(&mut self.out, key);
        self.out.push(b':');
    }

    /// Writes the facts of the source location, then the recorded arguments, and closes the event.
    fn tail(&mut self, place: &SourceLocation<'_>, args: Args<'_>, reserved: Keys, first: &mut bool) {
        let SourceLocation { function, file, line, column } = *place;
        let texts = [("function", function), ("file", file)].map(|(key, text)| (key, Value::Str(text)));
        let numbers =
            [("line", line), ("column", column)].map(|(key, number)| (key, Value::Uint(number.into())));
        for fact in texts.into_iter().chain(numbers) {
            if !matches!(fact.1, Value::Str("") | Value::Uint(0)) {
                self.facts(&[fact], first);
            }
        }
        for (key, arg) in args {
            let mut scratch = std::mem::take(&mut self.key_scratch);
            self.key(escape_key(key, reserved, &mut scratch), first);
            self.key_scratch = scratch;
            value(&mut self.out, arg, &mut self.scratch);
        }
        self.out.extend_from_slice(if *first { b"}" } else { b"}}" });
    }

    /// Returns the process and thread that represent a track; writes metadata for the importer if they are new.
    fn thread(&mut self, track: u64) -> (u32, u32) {
        let (pid, tid, new) = self.tids.of_track(track, self.processes.pid(), 0);
        if new {
            self.separator();
            let head = format_args!(r#"{{"ph":"M","name":"{TRACK_RECORD}","pid":{pid},"tid":{tid},"#);
            print(&mut self.out, head);
            print(&mut self.out, format_args!(r#""args":{{"track":{track}}}}}"#));
        }
        (pid, tid)
    }

    fn track(&mut self, track: &Track<'_>) {
        let pid = self.processes.of_track(track);
        let (pid, tid, _) = self.tids.of_track(track.track, pid, track.tid);
        self.separator();
        let kind = track.kind.as_str();
        print(&mut self.out, format_args!(r#"{{"ph":"M","name":"{TRACK_RECORD}","pid":{pid},"tid":{tid}"#));
        let facts = [
            ("track", Value::Uint(track.track)),
            ("kind", Value::Str(kind)),
            ("name", Value::Str(track.name)),
            ("tid", Value::Uint(track.tid.into())),
            ("parent", Value::Uint(track.parent.unwrap_or_default())),
        ];
        let mut first = true;
        self.facts(if track.parent.is_some() { &facts } else { &facts[..4] }, &mut first);
        self.out.extend_from_slice(b"}}");
        match track.kind {
            TrackKind::Process => self.metadata("process_name", pid, 0, track.name),
            TrackKind::Counter => {
                self.counters.insert(track.track, track.name.to_owned());
            }
            // The format has no nested threads: the name includes the thread of the stream.
            TrackKind::Stream => {
                let thread = track.parent.and_then(|parent| self.threads.get(&parent));
                let name = thread.map(|thread| format!("{} · {thread}", track.name));
                self.metadata("thread_name", pid, tid, name.as_deref().unwrap_or(track.name));
            }
            kind => {
                if kind == TrackKind::Thread {
                    self.threads.insert(track.track, track.name.to_owned());
                }
                self.metadata("thread_name", pid, tid, track.name);
            }
        }
    }

    fn slice_event(&mut self, phase: &str, event: &SliceFacts<'_>) {
        let (pid, tid) = self.thread(event.track);
        let head =
            Head { phase, category: event.category, kind: "", name: event.name, pid, tid, at: event.at };
        self.head(&head);
        let mut first = true;
        if let Some(node) = event.node {
            self.facts(&[("node", Value::Uint(node))], &mut first);
        }
        self.tail(&event.location, event.args, SLICE_KEYS, &mut first);
    }

    fn record(&mut self, record: &Record<'_>) {
        let (pid, tid) = self.thread(self.processes.record_track());
        let Record { category, name, at, .. } = *record;
        self.head(&Head { phase: "i", category, kind: "", name, pid, tid, at });
        let mut first = true;
        self.facts(record.facts, &mut first);
        self.tail(&record.location, record.args, record.keys, &mut first);
    }

    fn announce_queue(&mut self, queue: &Queue<'_>) {
        let process = self.processes.index();
        let device = (process, queue.device_handle, queue.device.to_owned());
        let next = self.devices.len();
        let number = *self.devices.entry(device).or_insert(next);
        let pid = FIRST_DEVICE_PID.saturating_add(u32::try_from(number).unwrap_or(u32::MAX));
        if number == next {
            self.metadata("process_name", pid, 0, queue.device);
        }
        let order = match queue.order {
            QueueOrder::InOrder => " · in-order",
            QueueOrder::OutOfOrder => " · out-of-order",
            QueueOrder::Other => "",
        };
        let name = format!("queue {}{order}", queue.queue);
        self.queues.insert(queue.queue, QueueLanes { pid, name, lanes: Lanes::default() });
    }

    fn execution(&mut self, execution: &Execution<'_>) {
        let number = execution.queue;
        let queue = self.queues.entry(number).or_insert_with(|| QueueLanes {
            pid: FIRST_DEVICE_PID,
            name: format!("queue {number}"),
            lanes: Lanes::default(),
        });
        let pid = queue.pid;
        let (start, end) = (execution.start, execution.end);
        let (tid, new_lane) = queue.lanes.place(start.0, end.0.max(start.0), &mut self.tids);
        if let Some(lane) = new_lane {
            let name =
                if lane == 0 { queue.name.clone() } else { format!("{} · lane {}", queue.name, lane + 1) };
            self.metadata("thread_name", pid, tid, &name);
        }
        let kind = execution.kind.category().as_str();
        let (category, name) = (EXECUTION_PREFIX, execution.name);
        self.head(&Head { phase: "X", category, kind, name, pid, tid, at: start });
        self.out.extend_from_slice(br#","dur":"#);
        micros(&mut self.out, end.since(start).0);
        let mut first = true;
        let facts = [
            ("node", Value::Uint(execution.node)),
            ("queue", Value::Uint(execution.queue)),
            ("kind", Value::Str(execution.kind.as_str())),
        ];
        self.facts(&facts, &mut first);
        for (key, at) in [("queued_ns", execution.queued), ("submitted_ns", execution.submitted)] {
            if let Some(at) = at {
                self.facts(&[(key, Value::Uint(at.0))], &mut first);
            }
        }
        self.tail(&SourceLocation::default(), execution.args, EXECUTION_KEYS, &mut first);
    }

    fn counter(&mut self, track: u64, at: Timestamp, sample: f64) {
        let (pid, tid) = self.thread(track);
        let name = self.counters.get(&track).cloned().unwrap_or_default();
        self.head(&Head { phase: "C", category: "", kind: "", name: &name, pid, tid, at });
        self.facts(&[("value", Value::Float(sample))], &mut true);
        self.out.extend_from_slice(b"}}");
    }

    /// Writes a flow's point for viewers, in addition to its record.
    fn flow(&mut self, flow: &Flow<'_>) {
        let phase = match flow.step {
            FlowStep::Start => "s",
            FlowStep::End => "f",
            FlowStep::Step | FlowStep::Other => "t",
        };
        let (pid, tid) = self.thread(flow.track);
        let name = if flow.name.is_empty() { "flow" } else { flow.name };
        self.head(&Head { phase, category: DERIVED, kind: "", name, pid, tid, at: flow.at });
        let binding = if flow.binding == FlowBinding::Next { "" } else { r#","bp":"e""# };
        print(&mut self.out, format_args!(r#","id":"{:#x}"{binding}}}"#, flow.flow));
    }

    fn memory_in_use(&mut self, at: Timestamp, kind: AllocationKind, in_use: u64) {
        let (pid, name) = (self.processes.pid(), memory_counter_name(kind));
        self.head(&Head { phase: "C", category: DERIVED, kind: "", name, pid, tid: 0, at });
        self.facts(&[("bytes", Value::Uint(in_use))], &mut true);
        self.out.extend_from_slice(b"}}");
    }
}

/// Facts common to the start of a slice, its end and an instant.
struct SliceFacts<'a> {
    track: u64,
    at: Timestamp,
    category: &'a str,
    name: &'a str,
    node: Option<u64>,
    location: SourceLocation<'a>,
    args: Args<'a>,
}

impl EventSink for Writer {
    fn event(&mut self, event: &Event<'_>) {
        if self.finished {
            return;
        }
        if !self.started && !matches!(event, Event::Process(_)) {
            self.begin(&Process::default());
        }
        match event {
            Event::Process(process) => self.begin(process),
            Event::Track(track) => self.track(track),
            Event::SliceBegin(slice) => {
                let syclscope_language::event::SliceBegin { track, at, category, name, node, location, args } =
                    *slice;
                let category = category.as_str();
                self.slice_event("B", &SliceFacts { track, at, category, name, node, location, args });
            }
            Event::SliceEnd(end) => {
                let syclscope_language::event::SliceEnd { track, at, args } = *end;
                let (category, name, node, location) = ("", "", None, SourceLocation::default());
                self.slice_event("E", &SliceFacts { track, at, category, name, node, location, args });
            }
            Event::Instant(instant) => {
                let syclscope_language::event::Instant { track, at, category, name, node, location, args } =
                    *instant;
                let category = category.as_str();
                self.slice_event("i", &SliceFacts { track, at, category, name, node, location, args });
            }
            Event::Execution(execution) => self.execution(execution),
            Event::Counter(sample) => self.counter(sample.track, sample.at, sample.value),
            _ => {
                with_record(event, |record| self.record(record));
            }
        }
        match event {
            Event::Queue(queue) => self.announce_queue(queue),
            Event::Flow(flow) => self.flow(flow),
            _ => {}
        }
        if let Some((at, kind, in_use)) = self.memory.take(event) {
            self.memory_in_use(at, kind, in_use);
        }
    }
}

impl Exporter for Writer {
    fn drain_into(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.out);
    }

    fn buffered_bytes(&self) -> usize {
        self.out.len()
    }

    /// Closes the array; later events are ignored.
    fn finish(&mut self) {
        if !std::mem::replace(&mut self.finished, true) {
            self.out.extend_from_slice(if self.started { b"\n]\n" } else { b"[]\n" });
        }
    }
}
