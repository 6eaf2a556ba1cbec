//! Reader of Perfetto traces: our own without loss, other tools' track events and GPU stages as slices, counters and
//! flows. The schema is at <https://perfetto.dev/docs/reference/trace-packet-proto>.
//!
//! Packets are read in place; only state common to several packets stays in memory.

mod annotation;
mod clocks;
mod compressed_packets;
mod flows;
mod gpu_stage;
mod interned;
mod interned_data;
mod legacy;
mod resync;
mod slices;
mod track_descriptor;
mod track_event;

use rustc_hash::FxHashMap;
use syclscope_language::event::{EventSink, Value as ArgValue};
use syclscope_language::time::Timestamp;

use self::clocks::Clocks;
use self::gpu_stage::GpuStages;
use self::interned::Sequence;
use self::resync::PacketStart;
use self::track_descriptor::KnownTracks;
use self::track_event::Rare;
use super::async_slices::AsyncSlices;
use super::limits::{MAX_INTERNED_BYTES, MAX_PACKET_BYTES, MAX_SEQUENCES};
use super::pairing::Pairing;
use super::{ImportError, ImportReport, Parser};
use crate::budget::Budget;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::proto::fields::{clock, defaults, event, packet, trace};
use crate::proto::walk::{Field, Fields, Value};

/// Packets about the recording itself, not the program.
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

pub(super) struct Reader<S> {
    sink: S,
    diagnostics: Diagnostics,
    offset: u64,
    /// Offset of the next bytes.
    read_bytes: u64,
    /// Remaining bytes of a skipped packet.
    skip: u64,
    is_searching: bool,
    /// True if the packet is inside a compressed one.
    is_nested: bool,
    unpacked_bytes: u64,
    budget: Budget,
    /// True if the file starts with our recording record.
    own: bool,
    /// Origin of the times of our files.
    start: u64,
    /// Time of the last event.
    last: Timestamp,
    clocks: Clocks,
    sequences: FxHashMap<u64, Box<Sequence>>,
    /// The sequence of the previous packet, which is most often this packet's too; not among `sequences`.
    current: Option<(u64, Box<Sequence>)>,
    /// Size of the interned texts of all sequences.
    interned_bytes: usize,
    tracks: KnownTracks,
    gpu: GpuStages,
    asynchronous: AsyncSlices,
    pairing: Pairing,
    rare: Rare,
    /// Memory reused for each packet.
    args: Vec<(&'static str, ArgValue<'static>)>,
    json: String,
}

#[derive(Clone, Copy, Default)]
struct Packet<'a> {
    timestamp: Option<u64>,
    clock: Option<u64>,
    sequence: u64,
    clears_state: bool,
    needs_state: bool,
    after_loss: bool,
    interned_data: Option<&'a [u8]>,
    defaults: Option<&'a [u8]>,
    data: Option<(u32, &'a [u8])>,
}

impl<S: EventSink> Parser<S> for Reader<S> {
    fn read(&mut self, bytes: &[u8], is_last: bool) -> usize {
        let mut done = 0;
        if self.skip > 0 {
            done = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len());
            self.skip -= done as u64;
        }
        while self.skip == 0 && done < bytes.len() {
            if self.is_searching {
                match resync::next_packet(&bytes[done..], is_last) {
                    PacketStart::At(packet) => done += packet,
                    PacketStart::NotBefore(rest) => {
                        done += rest;
                        break;
                    }
                }
                self.is_searching = false;
            }
            match self.packets(bytes, done, is_last) {
                Step::To(place) => done = place,
                Step::Waits(place) => {
                    done = place;
                    break;
                }
            }
        }
        if is_last {
            if self.skip > 0 {
                self.count(DiagnosticKind::TruncatedFile);
            }
            done = bytes.len();
        }
        self.read_bytes += done as u64;
        done
    }

    fn finish(mut self: Box<Self>) -> Result<(S, ImportReport), ImportError> {
        self.asynchronous.finish(&mut self.sink, &mut self.diagnostics);
        self.tell_process();
        self.pairing.finish(&mut self.diagnostics);
        Ok((self.sink, ImportReport { diagnostics: self.diagnostics, own_convention: self.own }))
    }
}

/// Returns the length of the length-delimited field at the start of the bytes, with its tag; `None` if the bytes don't
/// include that length.
fn missing_bytes(bytes: &[u8]) -> Option<u64> {
    let tag = bytes.iter().position(|byte| *byte < 0x80)? + 1;
    let (mut length, mut shift) = (0_u64, 0);
    for (position, byte) in bytes.get(tag..)?.iter().take(10).enumerate() {
        length |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(length.saturating_add((tag + position + 1) as u64)).filter(|_| bytes[0] & 7 == 2);
        }
        shift += 7;
    }
    None
}

/// Messages of Protobuf are shorter than this.
const MAX_MESSAGE_BYTES: u64 = 1 << 31;

/// True if the bytes start with a field of an impossible length, because only packets are long. Packets may lie within
/// that length.
fn is_noise(bytes: &[u8]) -> bool {
    let most = if bytes[0] == resync::TAG { MAX_MESSAGE_BYTES } else { MAX_PACKET_BYTES as u64 };
    missing_bytes(bytes).is_some_and(|all| all > most)
}

/// True if the next byte allows a packet after a field.
fn goes_on(next: Option<&u8>) -> bool {
    next.is_none_or(|next| *next == resync::TAG)
}

enum Step {
    /// Read up to this offset.
    To(usize),
    /// Read up to this offset; the next packet is incomplete.
    Waits(usize),
}

impl<S: EventSink> Reader<S> {
    /// Reads the packets from `begin` on, up to the end or to bytes that are no packet.
    fn packets(&mut self, bytes: &[u8], begin: usize, is_last: bool) -> Step {
        let mut fields = Fields::new(&bytes[begin..]);
        let mut done = begin;
        loop {
            self.offset = self.read_bytes + done as u64;
            let end = |fields: &Fields<'_>| begin + fields.offset();
            match fields.next() {
                None => return Step::Waits(done),
                // The byte after a field shows whether its length is right: wait for it.
                Some(Ok(_)) if !is_last && end(&fields) == bytes.len() => return Step::Waits(done),
                Some(Ok(Field { number: trace::PACKET, value: Value::Bytes(body) })) => {
                    let is_sound = self.packet(body);
                    if !is_sound && !goes_on(bytes.get(end(&fields))) {
                        // Its length is damaged, too: the bytes that it counts may contain packets.
                        self.is_searching = true;
                        return Step::To(done + 1);
                    }
                }
                Some(Ok(field)) if field.number != trace::PACKET && goes_on(bytes.get(end(&fields))) => {
                    self.count(DiagnosticKind::UnknownPacket);
                }
                Some(Err(error)) if error.truncated && !is_last && !is_noise(&bytes[done..]) => {
                    let missing = missing_bytes(&bytes[done..]);
                    if missing.is_some_and(|all| all > MAX_PACKET_BYTES as u64) {
                        self.count(DiagnosticKind::Oversized);
                        self.skip = missing.unwrap_or_default() - (bytes.len() - done) as u64;
                        return Step::Waits(bytes.len());
                    }
                    return Step::Waits(done);
                }
                Some(problem) => {
                    // The file may just be truncated; or a length is damaged, and packets are within the bytes that it
                    // counts.
                    let is_cut = is_last && problem.is_err_and(|error| error.truncated);
                    let kind =
                        if is_cut { DiagnosticKind::TruncatedFile } else { DiagnosticKind::MalformedPacket };
                    self.count(kind);
                    self.is_searching = true;
                    return Step::To(done + 1);
                }
            }
            done = end(&fields);
        }
    }

    pub(super) fn new(sink: S, budget: Budget) -> Self {
        Self {
            sink,
            diagnostics: Diagnostics::default(),
            offset: 0,
            read_bytes: 0,
            skip: 0,
            is_searching: false,
            is_nested: false,
            unpacked_bytes: 0,
            budget,
            own: false,
            start: 0,
            last: Timestamp::ZERO,
            clocks: Clocks::default(),
            sequences: FxHashMap::default(),
            current: None,
            interned_bytes: 0,
            tracks: KnownTracks::default(),
            gpu: GpuStages::default(),
            asynchronous: AsyncSlices::default(),
            pairing: Pairing::default(),
            rare: Rare::default(),
            args: Vec::new(),
            json: String::new(),
        }
    }

    fn count(&mut self, kind: DiagnosticKind) {
        self.diagnostics.count_at(kind, self.offset);
    }

    /// Reads a packet; `false` if it is invalid.
    fn packet(&mut self, body: &[u8]) -> bool {
        let packet = read_packet(body);
        match &packet {
            Some(packet) => self.content(packet),
            None => self.count(DiagnosticKind::MalformedPacket),
        }
        packet.is_some()
    }

    fn content(&mut self, packet: &Packet<'_>) {
        let id = packet.sequence;
        // Taken out while the packet is read, to borrow it separately from the reader.
        let known = self.take_sequence(id);
        let has_gap = packet.after_loss && known.is_some();
        if has_gap {
            self.count(DiagnosticKind::PacketsLost);
        }
        let mut sequence = match known {
            Some(known) => known,
            None if self.sequences.len() >= MAX_SEQUENCES => return self.count(DiagnosticKind::Oversized),
            None => Box::default(),
        };
        if packet.clears_state {
            self.interned_bytes = self.interned_bytes.saturating_sub(sequence.text_bytes());
            sequence.clear();
        } else {
            sequence.has_gap |= has_gap;
        }
        // Texts and differences of times may be among what was lost.
        if sequence.has_gap && packet.needs_state {
            self.count(DiagnosticKind::PacketsLost);
            self.current = Some((id, sequence));
            return;
        }
        if let Some(defaults) = packet.defaults {
            read_defaults(&mut sequence, defaults);
        }
        if let Some(interned_data) = packet.interned_data {
            self.keep_texts(&mut sequence, |reader, sequence| reader.interned_data(sequence, interned_data));
        }
        if let Some((number @ (packet::COMPRESSED_PACKETS | packet::ZSTD_COMPRESSED_PACKETS), body)) =
            packet.data
        {
            // The nested packets may belong to this sequence too.
            self.current = Some((id, sequence));
            return self.compressed_packets(number, body);
        }
        match packet.data {
            Some((packet::TRACK_EVENT, body)) => self.track_event(&mut sequence, packet, body),
            Some((packet::GPU_RENDER_STAGE_EVENT, body)) => {
                self.keep_texts(&mut sequence, |reader, sequence| reader.gpu_lists(sequence, body));
                self.gpu_stage(&sequence, packet, body);
            }
            Some((packet::TRACK_DESCRIPTOR, body)) => self.track_descriptor(body),
            Some((packet::THREAD_DESCRIPTOR, body)) => self.thread_descriptor(&mut sequence, body),
            Some((packet::CLOCK_SNAPSHOT, body)) => self.clocks.snapshot(id, body),
            Some((packet::FTRACE_EVENTS, _)) => self.count(DiagnosticKind::Ftrace),
            Some((number, _)) if HOUSEKEEPING.contains(&number) => {}
            Some(_) => self.count(DiagnosticKind::UnknownPacket),
            None => {}
        }
        if !matches!(packet.data, Some((packet::TRACK_EVENT | packet::GPU_RENDER_STAGE_EVENT, _))) {
            // Incremental times count in every packet, whatever its kind.
            self.clocks.advance(id, packet.clock.unwrap_or(sequence.clock), packet.timestamp);
        }
        self.current = Some((id, sequence));
    }

    /// Calls `keep` to add texts to a sequence, unless all sequences together have too many.
    fn keep_texts(&mut self, sequence: &mut Sequence, keep: impl FnOnce(&mut Self, &mut Sequence)) {
        if self.interned_bytes > MAX_INTERNED_BYTES {
            return self.count(DiagnosticKind::Oversized);
        }
        let before = sequence.text_bytes();
        keep(self, sequence);
        self.interned_bytes += sequence.text_bytes() - before;
    }

    /// Removes and returns the state of a sequence; `None` before its first packet.
    fn take_sequence(&mut self, id: u64) -> Option<Box<Sequence>> {
        match self.current.take() {
            Some((current, sequence)) if current == id => Some(sequence),
            Some((current, sequence)) => {
                self.sequences.insert(current, sequence);
                self.sequences.remove(&id)
            }
            None => self.sequences.remove(&id),
        }
    }

    /// Returns the packet's time, relative to the trace's origin; `None` on a clock of its sequence that the file does
    /// not define. A packet without a time has that of the last event, as in Perfetto.
    fn time(&mut self, clock: u64, packet: &Packet<'_>) -> Option<Timestamp> {
        let Some(time) = packet.timestamp else { return Some(self.last) };
        let (time, known) = self.clocks.time(packet.sequence, clock, time);
        if !known {
            self.count(DiagnosticKind::UnknownClock);
            if Clocks::is_of_sequence(clock) {
                return None;
            }
        }
        Some(self.since_start(time))
    }

    fn since_start(&mut self, time: i128) -> Timestamp {
        let since_start = time - i128::from(self.start);
        self.last = Timestamp(u64::try_from(since_start).unwrap_or_else(|_| {
            self.count(DiagnosticKind::TimeOutOfRange);
            if since_start < 0 { 0 } else { u64::MAX }
        }));
        self.last
    }

    /// Returns a text of the file, cut at the first invalid UTF-8.
    fn text<'a>(&mut self, bytes: &'a [u8]) -> &'a str {
        std::str::from_utf8(bytes).unwrap_or_else(|error| {
            self.count(DiagnosticKind::InvalidText);
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        })
    }

    /// Returns an interned value; the default if the file never defined it.
    fn resolve<T: Default>(&mut self, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            self.count(DiagnosticKind::LostText);
            T::default()
        })
    }
}

/// Returns the header and the one message of a packet; `None` if it can't be read.
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
                packet.needs_state = value & packet::NEEDS_STATE != 0;
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

fn read_defaults(sequence: &mut Sequence, body: &[u8]) {
    // New defaults replace the old ones completely.
    (sequence.clock, sequence.track) = (clock::BOOTTIME, 0);
    sequence.extra_counters.clear();
    sequence.extra_double_counters.clear();
    for field in Fields::new(body).readable() {
        match (field.number, field.value) {
            (defaults::TIMESTAMP_CLOCK_ID, Value::Varint(value)) => sequence.clock = value,
            (defaults::TRACK_EVENT_DEFAULTS, Value::Bytes(body)) => {
                for field in Fields::new(body).readable() {
                    match (field.number, field.value) {
                        (event::TRACK_UUID, Value::Varint(value)) => sequence.track = value,
                        (event::EXTRA_COUNTER_TRACKS, value) => value.push_to(&mut sequence.extra_counters),
                        (event::EXTRA_DOUBLE_COUNTER_TRACKS, value) => {
                            value.push_to(&mut sequence.extra_double_counters);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}
