//! Writer of Perfetto traces: protobuf packets, texts interned, timestamps on the monotonic clock. `docs/FORMAT.md`
//! gives the convention; Perfetto's own schema is at <https://perfetto.dev/docs/reference/trace-packet-proto>.

mod descriptor;
mod execution;
mod interning;
mod track_event;
mod waits;

use rustc_hash::FxHashMap;
use syclscope_language::event::{AllocationKind, Event, EventSink, Process, Track, TrackKind};
use syclscope_language::time::Timestamp;

use self::execution::QueueSpecification;
use self::interning::Interning;
use self::waits::Waits;
use super::Exporter;
use super::memory::MemoryInUse;
use super::processes::Processes;
use crate::convention::{DERIVED, RECORD_TRACK_NAME, memory_counter_name, memory_track, with_record};
use crate::proto::encode::{Short, bytes, bytes_length, message, uint, uint_length};
use crate::proto::fields::{clock, context, defaults, interned, packet, trace};

/// Sequence id of our packets; a file of ours has one sequence.
const SEQUENCE: u64 = 1;

/// Streams events into Perfetto packets.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    body: Vec<u8>,
    interning: Interning,
    processes: Processes,
    process_track: Option<u64>,
    origin_unix_ns: u64,
    origin_monotonic_ns: u64,
    /// The description of each device, by its number.
    devices: Vec<Vec<u8>>,
    /// Process, handle and name of each device.
    numbers_of_devices: FxHashMap<(u32, u64, String), usize>,
    /// Number of announcements of devices since the last packet that lists all devices.
    untold_devices: usize,
    queues: FxHashMap<u64, QueueSpecification>,
    waits: Waits,
    memory: MemoryInUse,
    announced_counters: [bool; AllocationKind::ALL.len()],
}

impl Writer {
    /// Returns a writer without output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Restarts the sequence: later packets can be read without the earlier ones, even if the last drained bytes are
    /// lost.
    pub fn restart(&mut self) {
        self.out.clear();
        self.begin_sequence(false);
    }

    fn begin(&mut self, process: &Process<'_>) {
        let first = self.processes.count() == 0;
        let pid = self.processes.begin(process.pid);
        self.process_track = None;
        self.announced_counters = Default::default();
        if first {
            self.origin_unix_ns = process.origin_unix_ns();
            self.origin_monotonic_ns = process.origin_monotonic_ns();
            self.begin_sequence(true);
        } else {
            let (context, pid) = (self.context_iid(), self.processes.pid());
            graphics_context(&mut self.interning.fresh, context, pid);
        }
        // Perfetto merges tracks of the same name.
        let name = match first {
            true => RECORD_TRACK_NAME.to_owned(),
            false => format!("{RECORD_TRACK_NAME} · {} · {pid}", process.name),
        };
        let (track, kind) = (self.processes.record_track(), TrackKind::Other);
        self.track_descriptor(&Track { track, parent: None, kind, name: &name, tid: 0 });
    }

    fn context_iid(&self) -> u64 {
        self.processes.count() as u64
    }

    /// Writes the packet that starts an interning sequence; later ones clear the interned texts.
    fn begin_sequence(&mut self, first: bool) {
        self.interning = Interning::default();
        let (monotonic, realtime) = (self.origin_monotonic_ns, self.origin_unix_ns);
        let (context, pid) = (self.context_iid(), self.processes.pid());
        message(&mut self.out, trace::PACKET, |out| {
            uint(out, packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
            uint(out, packet::SEQUENCE_FLAGS, packet::STATE_CLEARED);
            if first {
                uint(out, packet::FIRST_PACKET_ON_SEQUENCE, 1);
            }
            message(out, packet::TRACE_PACKET_DEFAULTS, |out| {
                uint(out, defaults::TIMESTAMP_CLOCK_ID, clock::MONOTONIC);
            });
            message(out, packet::INTERNED_DATA, |out| graphics_context(out, context, pid));
            message(out, packet::CLOCK_SNAPSHOT, |out| {
                // The recorder reads no boot-time clock: without a suspend it equals the monotonic one.
                let clocks = [
                    (clock::BOOTTIME, monotonic),
                    (clock::MONOTONIC, monotonic),
                    (clock::REALTIME, realtime),
                ];
                for (id, time) in clocks {
                    message(out, clock::CLOCKS, |out| {
                        uint(out, clock::CLOCK_ID, id);
                        uint(out, clock::TIMESTAMP, time);
                    });
                }
            });
        });
    }

    /// Writes a packet around the message in `self.body`, with the texts that it interns.
    fn packet(&mut self, at: Option<Timestamp>, field: u32) {
        const STATE_LENGTH: usize = uint_length(packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE)
            + uint_length(packet::SEQUENCE_FLAGS, packet::NEEDS_STATE);
        let timestamp = at.map(|at| self.origin_monotonic_ns.saturating_add(at.0));
        let Self { out, body, interning, .. } = self;
        let fresh = &mut interning.fresh;
        // The length is computed before writing: bodies are copied once.
        let time_length = timestamp.map_or(0, |timestamp| uint_length(packet::TIMESTAMP, timestamp));
        let fresh_length = if fresh.is_empty() { 0 } else { bytes_length(packet::INTERNED_DATA, fresh) };
        let length = time_length + STATE_LENGTH + fresh_length + bytes_length(field, body);
        let mut head = Short::default();
        head.message_head(trace::PACKET, length);
        if let Some(timestamp) = timestamp {
            head.uint(packet::TIMESTAMP, timestamp);
        }
        head.uint(packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
        head.uint(packet::SEQUENCE_FLAGS, packet::NEEDS_STATE);
        if !fresh.is_empty() {
            head.append_to(out);
            head = Short::default();
            bytes(out, packet::INTERNED_DATA, fresh);
            fresh.clear();
        }
        head.message_head(field, body.len());
        head.append_to(out);
        out.extend_from_slice(body);
        body.clear();
        if self.interning.is_full() {
            self.begin_sequence(false);
        }
    }

    fn memory_in_use(&mut self, at: Timestamp, kind: AllocationKind, in_use: u64) {
        let track = memory_track(self.processes.index(), kind);
        if !std::mem::replace(&mut self.announced_counters[kind as usize], true) {
            self.counter_descriptor(track, self.process_track, memory_counter_name(kind), Some(DERIVED));
        }
        self.integer_counter(track, at, in_use);
    }
}

fn graphics_context(out: &mut Vec<u8>, iid: u64, pid: u32) {
    message(out, interned::GRAPHICS_CONTEXTS, |out| {
        uint(out, interned::IID, iid);
        uint(out, context::PID, pid.into());
    });
}

impl EventSink for Writer {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Process(process) = event {
            self.begin(process);
        } else if self.processes.count() == 0 {
            self.event(&Event::Process(Process::default()));
        }
        match event {
            Event::Track(track) => {
                if track.kind == TrackKind::Process {
                    self.process_track.get_or_insert(track.track);
                }
                match track.kind {
                    TrackKind::Counter => {
                        self.counter_descriptor(track.track, track.parent, track.name, None)
                    }
                    _ => self.track_descriptor(track),
                }
            }
            Event::SliceBegin(slice) => self.slice_begin(slice),
            Event::SliceEnd(end) => self.slice_end(end),
            Event::Instant(instant) => self.instant(instant),
            Event::Execution(execution) => self.execution(execution),
            Event::Counter(sample) => self.float_counter(sample),
            _ => {
                with_record(event, |record| self.record(record));
            }
        }
        match event {
            Event::Queue(queue) => self.announce_queue(queue),
            Event::Flow(flow) => self.flow(flow),
            Event::Edge(edge) => self.waits.add(edge.target, edge.source),
            Event::Device(device) => self.announce_device(device),
            _ => {}
        }
        if let Some((at, kind, in_use)) = self.memory.take(event) {
            self.memory_in_use(at, kind, in_use);
        }
    }
}

impl Exporter for Writer {
    fn drain_into(&mut self, out: &mut Vec<u8>) {
        if out.is_empty() {
            // The next batch is written into the memory of the last one.
            std::mem::swap(out, &mut self.out);
        } else {
            out.append(&mut self.out);
        }
    }

    fn buffered_bytes(&self) -> usize {
        self.out.len()
    }

    /// Writes the devices that no packet lists yet. A Perfetto trace needs no closing.
    fn finish(&mut self) {
        self.gpu_info();
    }
}
