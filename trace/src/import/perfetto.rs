//! Reads a Perfetto trace: our own without loss, anybody's track events and GPU stages as slices and counters.
//! The schema is at <https://perfetto.dev/docs/reference/trace-packet-proto>.
//!
//! Texts are borrowed from the file; nothing is copied before the sink does.

mod clocks;
mod gpu_stage;
mod interned;
mod interned_data;
mod track_descriptor;
mod track_event;

use self::clocks::Clocks;
use self::interned::Sequence;
use self::track_descriptor::CounterState;
use super::ImportReport;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::event::{EventSink, Value as ArgValue};
use crate::hash::FastMap;
use crate::proto::fields::{clock, defaults, event, packet, trace};
use crate::proto::walk::{Field, Fields, Value};
use crate::time::Timestamp;

/// Packets that tell of the recording, not of the program.
const HOUSEKEEPING: &[u32] = &[
    33, // trace configuration
    35, // trace statistics
    36, // synchronisation marker
    45, // system information
    69, // tracing service event
    72, // extension descriptor
    89, // trace identity
    packet::GPU_INFO,
];

/// Hands the events of a Perfetto trace to `sink`, in the order of the file.
pub fn read(bytes: &[u8], sink: &mut impl EventSink) -> ImportReport {
    let mut reader = Reader::new(sink);
    let mut fields = Fields::new(bytes);
    loop {
        reader.offset = fields.offset() as u64;
        match fields.next() {
            None => break,
            Some(Ok(Field { number: trace::PACKET, value: Value::Bytes(body) })) => reader.packet(body),
            Some(Ok(_)) => reader.count(DiagnosticKind::UnknownPacket),
            Some(Err(error)) if error.truncated => reader.count(DiagnosticKind::TruncatedFile),
            Some(Err(_)) => {
                reader.count(DiagnosticKind::MalformedPacket);
                // The rest of the file can't be told into packets any more.
                reader.count(DiagnosticKind::TruncatedFile);
            }
        }
    }
    ImportReport { diagnostics: reader.diagnostics, own_convention: reader.own }
}

/// The state of an import.
struct Reader<'a, 's, S> {
    sink: &'s mut S,
    diagnostics: Diagnostics,
    /// Offset of the current packet.
    offset: u64,
    /// The file starts with our recording record.
    own: bool,
    /// What the times of our files count from.
    start: u64,
    clocks: Clocks,
    sequences: FastMap<u64, Box<Sequence<'a>>>,
    /// The sequence of the packet before, which is most often that of this one; not among `sequences`.
    current: Option<(u64, Box<Sequence<'a>>)>,
    counters: FastMap<u64, CounterState>,
    /// Tracks of processes, to find the parents of threads.
    processes: FastMap<u64, u64>,
    /// Tracks made up for hardware queues.
    hardware_queues: FastMap<(u64, u64), u64>,
    process_known: bool,
    args: Vec<(&'a str, ArgValue<'a>)>,
}

/// The header of a packet.
#[derive(Clone, Copy, Default)]
struct Packet<'a> {
    timestamp: Option<u64>,
    clock: Option<u64>,
    sequence: u64,
    clears_state: bool,
    after_loss: bool,
    interned_data: Option<&'a [u8]>,
    defaults: Option<&'a [u8]>,
    data: Option<(u32, &'a [u8])>,
}

impl<'a, 's, S: EventSink> Reader<'a, 's, S> {
    fn new(sink: &'s mut S) -> Self {
        Self {
            sink,
            diagnostics: Diagnostics::default(),
            offset: 0,
            own: false,
            start: 0,
            clocks: Clocks::default(),
            sequences: FastMap::default(),
            current: None,
            counters: FastMap::default(),
            processes: FastMap::default(),
            hardware_queues: FastMap::default(),
            process_known: false,
            args: Vec::new(),
        }
    }

    fn count(&mut self, kind: DiagnosticKind) {
        self.diagnostics.count_at(kind, self.offset);
    }

    fn packet(&mut self, body: &'a [u8]) {
        let Some(packet) = read_packet(body) else { return self.count(DiagnosticKind::MalformedPacket) };
        let id = packet.sequence;
        // Taken out while the packet is read, so that it can be used beside the reader.
        let known = self.take_sequence(id);
        if packet.after_loss && known.is_some() {
            self.count(DiagnosticKind::PacketsLost);
        }
        let mut sequence = known.filter(|_| !packet.clears_state).unwrap_or_default();
        if let Some(defaults) = packet.defaults {
            read_defaults(&mut sequence, defaults);
        }
        if let Some(interned_data) = packet.interned_data {
            self.interned_data(&mut sequence, interned_data);
        }
        match packet.data {
            None => {}
            Some((packet::TRACK_EVENT, body)) => self.track_event(&sequence, &packet, body),
            Some((packet::GPU_RENDER_STAGE_EVENT, body)) => self.gpu_stage(&sequence, &packet, body),
            Some((packet::TRACK_DESCRIPTOR, body)) => self.track_descriptor(body),
            Some((packet::CLOCK_SNAPSHOT, body)) => self.clocks.snapshot(id, body),
            Some((packet::COMPRESSED_PACKETS, _)) => self.count(DiagnosticKind::CompressedPackets),
            Some((number, _)) if HOUSEKEEPING.contains(&number) => {}
            Some(_) => self.count(DiagnosticKind::UnknownPacket),
        }
        self.current = Some((id, sequence));
    }

    /// The state of a sequence, if it had a packet before.
    fn take_sequence(&mut self, id: u64) -> Option<Box<Sequence<'a>>> {
        match self.current.take() {
            Some((current, sequence)) if current == id => Some(sequence),
            Some((current, sequence)) => {
                self.sequences.insert(current, sequence);
                self.sequences.remove(&id)
            }
            None => self.sequences.remove(&id),
        }
    }

    /// The packet's moment, as the trace counts.
    fn time(&mut self, sequence: &Sequence<'a>, packet: &Packet<'a>) -> Timestamp {
        let clock = packet.clock.unwrap_or(sequence.clock);
        let (time, known) = self.clocks.time(packet.sequence, clock, packet.timestamp.unwrap_or_default());
        if !known {
            self.count(DiagnosticKind::UnknownClock);
        }
        let since_start = time - i128::from(self.start);
        Timestamp(u64::try_from(since_start).unwrap_or_else(|_| {
            self.count(DiagnosticKind::TimeOutOfRange);
            if since_start < 0 { 0 } else { u64::MAX }
        }))
    }

    /// A text of the file; what is not UTF-8 is cut at the first wrong byte.
    fn text(&mut self, bytes: &'a [u8]) -> &'a str {
        std::str::from_utf8(bytes).unwrap_or_else(|error| {
            self.count(DiagnosticKind::InvalidText);
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        })
    }

    /// An interned value; an empty one if the file never gave it.
    fn resolve<T: Default>(&mut self, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            self.count(DiagnosticKind::LostText);
            T::default()
        })
    }
}

/// The header and the one message of a packet; `None` if it can't be read.
fn read_packet(body: &[u8]) -> Option<Packet<'_>> {
    let mut packet = Packet::default();
    for field in Fields::new(body) {
        let field = field.ok()?;
        match (field.number, field.value) {
            (packet::TIMESTAMP, Value::Varint(value)) => packet.timestamp = Some(value),
            (packet::TIMESTAMP_CLOCK_ID, Value::Varint(value)) => packet.clock = Some(value),
            (packet::TRUSTED_PACKET_SEQUENCE_ID, Value::Varint(value)) => packet.sequence = value,
            (packet::SEQUENCE_FLAGS, Value::Varint(value)) => {
                packet.clears_state |= value & packet::STATE_CLEARED != 0;
            }
            (packet::INCREMENTAL_STATE_CLEARED, Value::Varint(value)) => packet.clears_state |= value != 0,
            (packet::PREVIOUS_PACKET_DROPPED, Value::Varint(value)) => packet.after_loss = value != 0,
            (packet::INTERNED_DATA, Value::Bytes(body)) => packet.interned_data = Some(body),
            (packet::TRACE_PACKET_DEFAULTS, Value::Bytes(body)) => packet.defaults = Some(body),
            (number, Value::Bytes(body)) => packet.data = Some((number, body)),
            _ => {}
        }
    }
    Some(packet)
}

fn read_defaults(sequence: &mut Sequence<'_>, body: &[u8]) {
    // New defaults replace the old ones as a whole.
    (sequence.clock, sequence.track) = (clock::BOOTTIME, 0);
    for field in Fields::new(body).flatten() {
        match (field.number, field.value) {
            (defaults::TIMESTAMP_CLOCK_ID, Value::Varint(value)) => sequence.clock = value,
            (defaults::TRACK_EVENT_DEFAULTS, Value::Bytes(body)) => {
                for field in Fields::new(body).flatten() {
                    if let (event::TRACK_UUID, Value::Varint(value)) = (field.number, field.value) {
                        sequence.track = value;
                    }
                }
            }
            _ => {}
        }
    }
}
