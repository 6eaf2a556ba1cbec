//! Writes a Perfetto trace: protobuf packets, texts interned, timestamps on the monotonic clock.
//! `docs/FORMAT.md` gives the convention; Perfetto's own schema is at
//! <https://perfetto.dev/docs/reference/trace-packet-proto>.

mod descriptor;
mod execution;
mod interning;
mod track_event;
mod waits;

use self::execution::QueueSpecification;
use self::interning::Interning;
use self::waits::Waits;
use super::Exporter;
use super::memory::MemoryInUse;
use crate::convention::{DERIVED, RECORD_TRACK, RECORD_TRACK_NAME, memory_counter_name, with_record};
use crate::event::{AllocationKind, Event, EventSink, Process, TrackKind};
use crate::hash::FastMap;
use crate::proto::encode::{bytes, message, uint};
use crate::proto::fields::{clock, context, defaults, interned, packet, trace};
use crate::time::Timestamp;

/// Our packets' sequence; a file of ours has one.
const SEQUENCE: u64 = 1;

/// The interned graphics context of the recorded process.
const CONTEXT_IID: u64 = 1;

/// Streams events into Perfetto packets.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    body: Vec<u8>,
    interning: Interning,
    started: bool,
    pid: u32,
    start_unix_ns: u64,
    start_monotonic_ns: u64,
    devices: Vec<(u64, String)>,
    queues: FastMap<u64, QueueSpecification>,
    waits: Waits,
    memory: MemoryInUse,
    announced_counters: [bool; AllocationKind::ALL.len()],
}

impl Writer {
    /// A writer that has written nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn begin(&mut self, process: &Process<'_>) {
        if self.started {
            return;
        }
        self.started = true;
        self.pid = process.pid;
        self.start_unix_ns = process.start_unix_ns;
        self.start_monotonic_ns = process.start_monotonic_ns;
        self.begin_sequence(true);
        self.track_descriptor(RECORD_TRACK, None, TrackKind::Other, RECORD_TRACK_NAME, 0);
    }

    /// The packet that an interned sequence starts with; later ones forget what was interned before.
    fn begin_sequence(&mut self, first: bool) {
        self.interning = Interning::default();
        let (monotonic, realtime) = (self.start_monotonic_ns, self.start_unix_ns);
        let pid = self.pid;
        message(&mut self.out, trace::PACKET, |out| {
            uint(out, packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
            uint(out, packet::SEQUENCE_FLAGS, packet::STATE_CLEARED);
            if first {
                uint(out, packet::FIRST_PACKET_ON_SEQUENCE, 1);
            }
            message(out, packet::TRACE_PACKET_DEFAULTS, |out| {
                uint(out, defaults::TIMESTAMP_CLOCK_ID, clock::MONOTONIC);
            });
            message(out, packet::INTERNED_DATA, |out| {
                message(out, interned::GRAPHICS_CONTEXTS, |out| {
                    uint(out, interned::IID, CONTEXT_IID);
                    uint(out, context::PID, pid.into());
                });
            });
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

    /// Writes a packet around the message in `self.body`, with the texts that it needs for the first time.
    fn packet(&mut self, at: Option<Timestamp>, field: u32) {
        let timestamp = at.map(|at| self.start_monotonic_ns.saturating_add(at.0));
        let Self { out, body, interning, .. } = self;
        message(out, trace::PACKET, |out| {
            if let Some(timestamp) = timestamp {
                uint(out, packet::TIMESTAMP, timestamp);
            }
            uint(out, packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
            uint(out, packet::SEQUENCE_FLAGS, packet::NEEDS_STATE);
            if !interning.fresh.is_empty() {
                bytes(out, packet::INTERNED_DATA, &interning.fresh);
                interning.fresh.clear();
            }
            bytes(out, field, body);
        });
        body.clear();
        if self.interning.is_full() {
            self.begin_sequence(false);
        }
    }

    fn memory_in_use(&mut self, at: Timestamp, kind: AllocationKind, in_use: u64) {
        let track = RECORD_TRACK + 1 + kind as u64;
        if !std::mem::replace(&mut self.announced_counters[kind as usize], true) {
            self.counter_descriptor(track, None, memory_counter_name(kind), Some(DERIVED));
        }
        self.integer_counter(track, at, in_use);
    }
}

impl EventSink for Writer {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Process(process) = event {
            self.begin(process);
        } else if !self.started {
            self.event(&Event::Process(Process::default()));
        }
        match event {
            Event::Track(track) => match track.kind {
                TrackKind::Counter => self.counter_descriptor(track.track, track.parent, track.name, None),
                kind => self.track_descriptor(track.track, track.parent, kind, track.name, track.tid),
            },
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
            Event::Edge(edge) => self.waits.add(edge.target, edge.source),
            Event::Allocation(allocation) => {
                let (kind, in_use) = self.memory.allocate(allocation);
                self.memory_in_use(allocation.at, kind, in_use);
            }
            Event::Release(release) => {
                if let Some((kind, in_use)) = self.memory.release(release) {
                    self.memory_in_use(release.at, kind, in_use);
                }
            }
            _ => {}
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

    /// A Perfetto trace needs no closing.
    fn finish(&mut self) {}
}
