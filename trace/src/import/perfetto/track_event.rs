//! Reads track events: slices, instants, counter samples, and our records.

use super::interned::Sequence;
use super::{Packet, Reader};
use crate::convention::{
    DERIVED, FORMAT_VERSION, RECORD_PREFIX, RECORDING, RecordHead, SLICE_KEYS, event_of_record, is_record,
    is_record_track, location_of, split_facts,
};
use crate::diagnostics::DiagnosticKind;
use crate::event::{
    Category, CounterSample, Event, EventSink, Instant, SliceBegin, SliceEnd, SourceLocation,
    Value as ArgValue,
};
use crate::proto::fields::{annotation, event, legacy};
use crate::proto::walk::{Fields, Value};
use crate::time::{Duration, Timestamp};

/// The fields of a track event.
#[derive(Default)]
struct TrackEvent<'a> {
    kind: u64,
    track: Option<u64>,
    category: &'a str,
    name: &'a str,
    location: SourceLocation<'a>,
    integer: Option<u64>,
    float: Option<f64>,
    /// Phase and duration in microseconds of an event in the old style.
    legacy: Option<(u64, u64)>,
}

impl<'a, S: EventSink> Reader<'a, '_, S> {
    pub(super) fn track_event(&mut self, sequence: &Sequence<'a>, packet: &Packet<'a>, body: &'a [u8]) {
        let Some(read) = self.read_track_event(sequence, body) else {
            return self.count(DiagnosticKind::MalformedPacket);
        };
        let track = read.track.unwrap_or(sequence.track);
        let is_ours = is_record_track(track) && read.category.starts_with(RECORD_PREFIX);
        if is_ours && read.category == RECORDING {
            return self.recording(&read);
        }
        let at = self.time(sequence, packet);
        match read.kind {
            event::SLICE_BEGIN => self.begin(track, at, &read),
            event::SLICE_END => self.end(track, at),
            event::INSTANT if is_ours && self.own => self.record(at, &read),
            event::INSTANT => self.instant(track, at, &read),
            event::COUNTER => self.counter(track, at, &read),
            _ => self.legacy(track, at, &read),
        }
    }

    fn read_track_event(&mut self, sequence: &Sequence<'a>, body: &'a [u8]) -> Option<TrackEvent<'a>> {
        let mut read = TrackEvent::default();
        self.args.clear();
        for field in Fields::new(body) {
            let field = field.ok()?;
            match (field.number, field.value) {
                (event::TYPE, Value::Varint(value)) => read.kind = value,
                (event::TRACK_UUID, Value::Varint(value)) => read.track = Some(value),
                (event::CATEGORY_IIDS, Value::Varint(iid)) if read.category.is_empty() => {
                    read.category = self.resolve(sequence.categories.get(iid));
                }
                (event::CATEGORIES, Value::Bytes(bytes)) if read.category.is_empty() => {
                    read.category = self.text(bytes);
                }
                (event::NAME_IID, Value::Varint(iid)) => read.name = self.resolve(sequence.names.get(iid)),
                (event::NAME, Value::Bytes(bytes)) => read.name = self.text(bytes),
                (event::SOURCE_LOCATION_IID, Value::Varint(iid)) => {
                    read.location = self.resolve(sequence.locations.get(iid));
                }
                (event::SOURCE_LOCATION, Value::Bytes(body)) => read.location = self.source_location(body).1,
                (event::DEBUG_ANNOTATIONS, Value::Bytes(body)) => self.annotation(sequence, body),
                (event::COUNTER_VALUE, Value::Varint(value)) => read.integer = Some(value),
                (event::DOUBLE_COUNTER_VALUE, Value::Fixed64(bits)) => {
                    read.float = Some(f64::from_bits(bits))
                }
                (event::LEGACY_EVENT, Value::Bytes(body)) => {
                    read.legacy = Some(read_legacy(body, &mut read.name, sequence));
                }
                _ => {}
            }
        }
        Some(read)
    }

    /// Reads an argument; lists and messages are counted, not shown.
    fn annotation(&mut self, sequence: &Sequence<'a>, body: &'a [u8]) {
        let mut key = "";
        let mut value = None;
        for field in Fields::new(body).flatten() {
            let read = match (field.number, field.value) {
                (annotation::NAME_IID, Value::Varint(iid)) => {
                    key = self.resolve(sequence.annotation_names.get(iid));
                    continue;
                }
                (annotation::NAME, Value::Bytes(bytes)) => {
                    key = self.text(bytes);
                    continue;
                }
                (annotation::BOOL_VALUE, Value::Varint(truth)) => ArgValue::Bool(truth != 0),
                (annotation::UINT_VALUE, Value::Varint(number)) => ArgValue::Uint(number),
                (annotation::INT_VALUE, Value::Varint(number)) => ArgValue::Int(number.cast_signed()),
                (annotation::DOUBLE_VALUE, Value::Fixed64(bits)) => ArgValue::Float(f64::from_bits(bits)),
                (annotation::POINTER_VALUE, Value::Varint(address)) => ArgValue::Pointer(address),
                (annotation::STRING_VALUE | annotation::LEGACY_JSON_VALUE, Value::Bytes(bytes)) => {
                    ArgValue::Str(self.text(bytes))
                }
                (annotation::STRING_VALUE_IID, Value::Varint(iid)) => {
                    ArgValue::Str(self.resolve(sequence.strings.get(iid)))
                }
                _ => continue,
            };
            value = Some(read);
        }
        match value {
            Some(value) => self.args.push((key, value)),
            None => self.count(DiagnosticKind::UnknownArgument),
        }
    }

    fn recording(&mut self, read: &TrackEvent<'a>) {
        let head = RecordHead {
            category: read.category,
            name: read.name,
            at: Timestamp::ZERO,
            location: read.location,
        };
        let first = !std::mem::replace(&mut self.own, true);
        let sink = &mut *self.sink;
        let start = event_of_record(head, &mut self.args, |event, facts| {
            sink.event(event);
            (
                facts.number("start_monotonic_ns").unwrap_or_default(),
                facts.number("format").unwrap_or_default(),
            )
        });
        if let Some((start, format)) = start.filter(|_| first) {
            self.start = start;
            if format > FORMAT_VERSION {
                self.count(DiagnosticKind::NewerFormat);
            }
        }
    }

    fn record(&mut self, at: Timestamp, read: &TrackEvent<'a>) {
        let head = RecordHead { category: read.category, name: read.name, at, location: read.location };
        let sink = &mut *self.sink;
        if event_of_record(head, &mut self.args, |event, _| sink.event(event)).is_none() {
            let known = is_record(read.category);
            self.count(if known { DiagnosticKind::MalformedRecord } else { DiagnosticKind::UnknownEvent });
        }
    }

    fn begin(&mut self, track: u64, at: Timestamp, read: &TrackEvent<'a>) {
        let category = self.category(read);
        let keys = if self.own { SLICE_KEYS } else { &[] };
        let (facts, args) = split_own(self.own, &mut self.args, keys);
        let (node, location) = match &facts {
            Some(facts) => (facts.number("node"), location_of(read.location, facts)),
            None => (None, read.location),
        };
        let slice = SliceBegin { track, at, category, name: read.name, node, location, args };
        self.sink.event(&Event::SliceBegin(slice));
    }

    fn end(&mut self, track: u64, at: Timestamp) {
        let (_, args) = split_own(self.own, &mut self.args, &[]);
        self.sink.event(&Event::SliceEnd(SliceEnd { track, at, args }));
    }

    fn instant(&mut self, track: u64, at: Timestamp, read: &TrackEvent<'a>) {
        let category = self.category(read);
        let keys = if self.own { SLICE_KEYS } else { &[] };
        let (facts, args) = split_own(self.own, &mut self.args, keys);
        let (node, location) = match &facts {
            Some(facts) => (facts.number("node"), location_of(read.location, facts)),
            None => (None, read.location),
        };
        let instant = Instant { track, at, category, name: read.name, node, location, args };
        self.sink.event(&Event::Instant(instant));
    }

    /// The category of an event; that of another program stays as an argument.
    fn category(&mut self, read: &TrackEvent<'a>) -> Category {
        let category = Category::from_text(read.category);
        if !self.own && category == Category::Other && !read.category.is_empty() {
            self.args.push(("category", ArgValue::Str(read.category)));
        }
        category
    }

    fn counter(&mut self, track: u64, at: Timestamp, read: &TrackEvent<'a>) {
        let integer = read.integer.map(|value| value.cast_signed() as f64);
        let Some(mut value) = read.float.or(integer) else { return self.count(DiagnosticKind::UnknownEvent) };
        if let Some(state) = self.counters.get_mut(&track) {
            if state.derived {
                return;
            }
            if !self.own {
                value *= state.multiplier;
            }
            if state.incremental {
                value += state.value;
                state.value = value;
            }
        }
        self.sink.event(&Event::Counter(CounterSample { track, at, value }));
    }

    /// An event in the style of Chrome's JSON: phase instead of type.
    fn legacy(&mut self, track: u64, at: Timestamp, read: &TrackEvent<'a>) {
        if read.category == DERIVED {
            return;
        }
        let Some((phase, duration_us)) = read.legacy else { return self.count(DiagnosticKind::UnknownEvent) };
        match u8::try_from(phase) {
            Ok(b'B') => self.begin(track, at, read),
            Ok(b'E') => self.end(track, at),
            Ok(b'I' | b'i') => self.instant(track, at, read),
            Ok(b'X') => {
                self.begin(track, at, read);
                self.args.clear();
                self.end(track, at.after(Duration(duration_us.saturating_mul(1000))));
            }
            _ => self.count(DiagnosticKind::UnknownEvent),
        }
    }
}

/// Facts and arguments of an event of ours; only arguments of one of another program.
fn split_own<'b, 'a>(
    own: bool,
    args: &'b mut [(&'a str, ArgValue<'a>)],
    keys: &[&str],
) -> (Option<crate::convention::Facts<'b, 'a>>, &'b [(&'b str, ArgValue<'b>)])
where
    'a: 'b,
{
    if !own {
        return (None, args);
    }
    let (facts, args) = split_facts(args, keys);
    (Some(facts), args)
}

fn read_legacy<'a>(body: &[u8], name: &mut &'a str, sequence: &Sequence<'a>) -> (u64, u64) {
    let mut found = (0, 0);
    for field in Fields::new(body).flatten() {
        let Value::Varint(value) = field.value else { continue };
        match field.number {
            legacy::NAME_IID if name.is_empty() => *name = sequence.names.get(value).unwrap_or_default(),
            legacy::PHASE => found.0 = value,
            legacy::DURATION_US => found.1 = value,
            _ => {}
        }
    }
    found
}
