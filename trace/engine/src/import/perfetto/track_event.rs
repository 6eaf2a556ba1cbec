//! Track events: slices, instants, counter samples, and our records.

use syclscope_language::event::{
    Category, Event, EventSink, FlowBinding, FlowStep, SourceLocation, Value as ArgValue,
};
use syclscope_language::time::Timestamp;

use super::annotation::Annotations;
use super::interned::Sequence;
use super::legacy::Legacy;
use super::{Packet, Reader};
use crate::convention::{
    FORMAT_VERSION, RECORD_PREFIX, RECORDING, RecordHead, event_of_record, is_record, is_record_track,
};
use crate::diagnostics::DiagnosticKind;
use crate::import::reuse;
use crate::proto::fields::event;
use crate::proto::walk::{Fields, Value};

#[derive(Default)]
pub(super) struct TrackEvent<'p> {
    kind: u64,
    track: Option<u64>,
    pub(super) category: &'p str,
    pub(super) name: &'p str,
    pub(super) location: SourceLocation<'p>,
    integer: Option<u64>,
    float: Option<f64>,
    /// Time of the event in microseconds, if it differs from the packet's: incremental or absolute.
    delta_us: Option<i64>,
    absolute_us: Option<i64>,
    pub(super) legacy: Option<Legacy<'p>>,
}

/// Rare fields of events; the memory is reused.
#[derive(Debug, Default)]
pub(super) struct Rare {
    pub(super) flows: Vec<(u64, FlowStep)>,
    pub(super) ids: Vec<u64>,
    pub(super) counters: Vec<u64>,
    pub(super) counter_tracks: Vec<u64>,
    pub(super) doubles: Vec<u64>,
    pub(super) double_tracks: Vec<u64>,
}

impl Rare {
    fn clear(&mut self) {
        let Self { flows, ids, counters, counter_tracks, doubles, double_tracks } = self;
        flows.clear();
        for list in [ids, counters, counter_tracks, doubles, double_tracks] {
            list.clear();
        }
    }
}

impl<S: EventSink> Reader<S> {
    pub(super) fn track_event(&mut self, state: &mut Sequence, packet: &Packet<'_>, body: &[u8]) {
        let mut json = std::mem::take(&mut self.json);
        json.clear();
        self.rare.clear();
        let args = reuse(std::mem::take(&mut self.args));
        let mut found = Annotations { args, json, nested: Vec::new() };
        let sequence = &*state;
        let mut last_us = sequence.last_us;
        if let Some(read) = self.read_track_event(sequence, body, &mut found) {
            let Annotations { mut args, json, nested } = found;
            let mut start = 0;
            for (key, end) in nested {
                args.push((key, ArgValue::Str(json.get(start..end).unwrap_or_default())));
                start = end;
            }
            if let Some(at) = self.event_time(sequence, packet, &read, &mut last_us) {
                self.add_event(sequence, at, &read, &mut args);
            }
            self.args = reuse(args);
            self.json = json;
        } else {
            self.count(DiagnosticKind::MalformedPacket);
            self.args = reuse(found.args);
            self.json = found.json;
        }
        state.last_us = last_us;
    }

    fn event_time(
        &mut self,
        sequence: &Sequence,
        packet: &Packet<'_>,
        read: &TrackEvent<'_>,
        last_us: &mut i64,
    ) -> Option<Timestamp> {
        if packet.timestamp.is_none()
            && let Some(us) = read.absolute_us.or(read.delta_us.map(|delta| last_us.saturating_add(delta)))
        {
            if read.absolute_us.is_none() {
                *last_us = us;
            }
            return Some(self.since_start(i128::from(us) * 1000));
        }
        self.time(packet.clock.unwrap_or(sequence.clock), packet)
    }

    fn add_event<'p>(
        &mut self,
        sequence: &Sequence,
        at: Timestamp,
        read: &TrackEvent<'p>,
        args: &mut Vec<(&'p str, ArgValue<'p>)>,
    ) {
        let mut track = read.track.unwrap_or(sequence.track);
        let is_ours = is_record_track(track) && read.category.starts_with(RECORD_PREFIX);
        if is_ours && read.category == RECORDING {
            return self.recording(read, args);
        }
        if let Some(Legacy { pid, tid, .. }) = read.legacy
            && (pid.is_some() || tid.is_some())
        {
            track = self.overridden_track(track, pid, tid);
        }
        if !self.own && Self::category(read) == Category::Other && !read.category.is_empty() {
            // The category of another tool stays as an argument.
            args.push(("category", ArgValue::Str(read.category)));
        }
        let mut binding = FlowBinding::Latest;
        match read.kind {
            event::SLICE_BEGIN => self.begin(track, at, read, args),
            event::SLICE_END => {
                // An end has the flows of its own slice; other slices and instants may lie between that slice's start
                // and its end.
                let is_paired = self.end(track, at, args);
                binding = if is_paired { FlowBinding::Ended } else { FlowBinding::Enclosing };
            }
            event::INSTANT if is_ours && self.own => self.record(at, read, args),
            event::INSTANT => self.instant(track, at, read, args),
            event::COUNTER => self.counter(track, at, read.integer, read.float),
            event::STATE => self.state(track, at, read, args),
            _ => self.legacy(track, at, read, args),
        }
        if !self.rare.flows.is_empty() {
            self.flows(track, at, binding);
        }
        if !self.rare.counters.is_empty() || !self.rare.doubles.is_empty() {
            self.extra_counters(sequence, at);
        }
    }

    fn read_track_event<'p>(
        &mut self,
        sequence: &'p Sequence,
        body: &'p [u8],
        found: &mut Annotations<'p>,
    ) -> Option<TrackEvent<'p>> {
        let mut read = TrackEvent::default();
        for field in Fields::new(body) {
            let field = field.ok()?;
            match (field.number, field.value) {
                (event::TYPE, Value::Varint(value)) => read.kind = value,
                (event::TRACK_UUID, Value::Varint(value)) => read.track = Some(value),
                (event::CATEGORY_IIDS, Value::Varint(iid)) if read.category.is_empty() => {
                    read.category = sequence.text(self.resolve(sequence.categories.get(iid)));
                }
                (event::CATEGORIES, Value::Bytes(bytes)) if read.category.is_empty() => {
                    read.category = self.text(bytes);
                }
                (event::NAME_IID, Value::Varint(iid)) => {
                    read.name = sequence.text(self.resolve(sequence.names.get(iid)));
                }
                (event::NAME, Value::Bytes(bytes)) => read.name = self.text(bytes),
                (event::SOURCE_LOCATION_IID, Value::Varint(iid)) => {
                    read.location = sequence.place(self.resolve(sequence.locations.get(iid)));
                }
                (event::SOURCE_LOCATION, Value::Bytes(body)) => read.location = self.source_location(body).1,
                (event::TASK_EXECUTION, Value::Bytes(body)) => {
                    // Location from which the task was posted.
                    if let Some(Ok(field)) = Fields::new(body).next()
                        && let (1, Value::Varint(iid)) = (field.number, field.value)
                    {
                        read.location = sequence.place(self.resolve(sequence.locations.get(iid)));
                    }
                }
                (event::DEBUG_ANNOTATIONS, Value::Bytes(body)) => self.annotation(sequence, body, found),
                (event::COUNTER_VALUE, Value::Varint(value)) => read.integer = Some(value),
                (event::DOUBLE_COUNTER_VALUE, Value::Fixed64(bits)) => {
                    read.float = Some(f64::from_bits(bits))
                }
                (event::LEGACY_EVENT, Value::Bytes(body)) => {
                    read.legacy = Some(self.read_legacy(sequence, body, &mut read.name));
                }
                (event::TIMESTAMP_DELTA_US, Value::Varint(value)) => {
                    read.delta_us = Some(value.cast_signed())
                }
                (event::TIMESTAMP_ABSOLUTE_US, Value::Varint(value)) => {
                    read.absolute_us = Some(value.cast_signed());
                }
                (
                    event::FLOW_IDS
                    | event::FLOW_IDS_OLD
                    | event::TERMINATING_FLOW_IDS
                    | event::TERMINATING_FLOW_IDS_OLD,
                    value,
                ) => self.note_flows(field.number, value),
                (event::EXTRA_COUNTER_VALUES, value) => value.push_to(&mut self.rare.counters),
                (event::EXTRA_COUNTER_TRACKS, value) => value.push_to(&mut self.rare.counter_tracks),
                (event::EXTRA_DOUBLE_COUNTER_VALUES, value) => value.push_fixed_to(&mut self.rare.doubles),
                (event::EXTRA_DOUBLE_COUNTER_TRACKS, value) => value.push_to(&mut self.rare.double_tracks),
                _ => {}
            }
        }
        Some(read)
    }

    fn recording<'p>(&mut self, read: &TrackEvent<'p>, args: &mut [(&'p str, ArgValue<'p>)]) {
        let head = RecordHead {
            category: read.category,
            name: read.name,
            at: Timestamp::ZERO,
            location: read.location,
        };
        let first = !std::mem::replace(&mut self.own, true);
        let sink = &mut self.sink;
        let start = event_of_record(head, args, |event, facts| {
            sink.event(event);
            let origin = match event {
                Event::Process(process) => process.origin_monotonic_ns(),
                _ => 0,
            };
            (origin, facts.number("format").unwrap_or_default())
        });
        if let Some((start, format)) = start.filter(|_| first) {
            self.start = start;
            if format > FORMAT_VERSION {
                self.count(DiagnosticKind::NewerFormat);
            }
        }
    }

    fn record<'p>(&mut self, at: Timestamp, read: &TrackEvent<'p>, args: &mut [(&'p str, ArgValue<'p>)]) {
        let head = RecordHead { category: read.category, name: read.name, at, location: read.location };
        let sink = &mut self.sink;
        if event_of_record(head, args, |event, _| sink.event(event)).is_none() {
            let known = is_record(read.category);
            self.count(if known { DiagnosticKind::MalformedRecord } else { DiagnosticKind::UnknownEvent });
        }
    }
}
