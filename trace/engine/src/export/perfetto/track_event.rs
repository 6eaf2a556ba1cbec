//! Slices, instants, counter samples and records: Perfetto's track events.

use syclscope_language::event::{
    Args, Category, CounterSample, Flow, FlowBinding, FlowStep, Instant, SliceBegin, SliceEnd,
    SourceLocation, Value,
};
use syclscope_language::time::Timestamp;

use super::Writer;
use super::interning::Interning;
use crate::convention::{DERIVED, Keys, Record, SLICE_KEYS, escape_key};
use crate::proto::encode::{Short, bytes, double, int, message, short_message, text, uint};
use crate::proto::fields::{annotation, correlation, event, legacy, packet};

/// Texts up to this length are interned; longer ones are unlikely to repeat.
const MAX_INTERNED_BYTES: usize = 1024;

impl Writer {
    pub(super) fn slice_begin(&mut self, slice: &SliceBegin<'_>) {
        self.head(event::SLICE_BEGIN, slice.track, slice.category.as_str(), slice.name, &slice.location);
        self.node(slice.node);
        let Self { body, interning, .. } = self;
        args(body, interning, slice.args, SLICE_KEYS);
        let correlation = match slice.category {
            Category::Submission => Some(correlation::SUBMISSION_EVENT_IDS),
            Category::Wait => Some(correlation::WAIT_EVENT_IDS),
            _ => None,
        };
        if let (Some(node), Some(field)) = (slice.node, correlation) {
            message(body, event::GPU_CORRELATION, |out| uint(out, field, node));
        }
        self.packet(Some(slice.at), packet::TRACK_EVENT);
    }

    pub(super) fn slice_end(&mut self, end: &SliceEnd<'_>) {
        let Self { body, interning, .. } = self;
        uint(body, event::TYPE, event::SLICE_END);
        uint(body, event::TRACK_UUID, end.track);
        args(body, interning, end.args, Keys::new(&[]));
        self.packet(Some(end.at), packet::TRACK_EVENT);
    }

    pub(super) fn instant(&mut self, instant: &Instant<'_>) {
        let category = instant.category.as_str();
        self.head(event::INSTANT, instant.track, category, instant.name, &instant.location);
        self.node(instant.node);
        let Self { body, interning, .. } = self;
        args(body, interning, instant.args, SLICE_KEYS);
        self.packet(Some(instant.at), packet::TRACK_EVENT);
    }

    pub(super) fn record(&mut self, record: &Record<'_>) {
        self.head(
            event::INSTANT,
            self.processes.record_track(),
            record.category,
            record.name,
            &record.location,
        );
        let Self { body, interning, .. } = self;
        for (key, value) in record.facts {
            debug_annotation(body, interning, key, value);
        }
        args(body, interning, record.args, record.keys);
        self.packet(Some(record.at), packet::TRACK_EVENT);
    }

    /// Writes a flow's point for viewers, in addition to its record.
    pub(super) fn flow(&mut self, flow: &Flow<'_>) {
        let phase = match flow.step {
            FlowStep::Start => b's',
            FlowStep::End => b'f',
            FlowStep::Step | FlowStep::Other => b't',
        };
        let Self { body, interning, .. } = self;
        uint(body, event::TRACK_UUID, flow.track);
        uint(body, event::CATEGORY_IIDS, interning.category(DERIVED));
        text(body, event::NAME, if flow.name.is_empty() { "flow" } else { flow.name });
        message(body, event::LEGACY_EVENT, |out| {
            uint(out, legacy::PHASE, phase.into());
            uint(out, legacy::GLOBAL_ID, flow.flow);
            uint(out, legacy::BIND_TO_ENCLOSING, (flow.binding != FlowBinding::Next).into());
        });
        self.packet(Some(flow.at), packet::TRACK_EVENT);
    }

    pub(super) fn float_counter(&mut self, sample: &CounterSample) {
        uint(&mut self.body, event::TYPE, event::COUNTER);
        uint(&mut self.body, event::TRACK_UUID, sample.track);
        double(&mut self.body, event::DOUBLE_COUNTER_VALUE, sample.value);
        self.packet(Some(sample.at), packet::TRACK_EVENT);
    }

    pub(super) fn integer_counter(&mut self, track: u64, at: Timestamp, value: u64) {
        uint(&mut self.body, event::TYPE, event::COUNTER);
        uint(&mut self.body, event::TRACK_UUID, track);
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        int(&mut self.body, event::COUNTER_VALUE, value);
        self.packet(Some(at), packet::TRACK_EVENT);
    }

    fn head(&mut self, kind: u64, track: u64, category: &str, name: &str, place: &SourceLocation<'_>) {
        let Self { body, interning, .. } = self;
        let mut head = Short::default();
        head.uint(event::TYPE, kind);
        head.uint(event::TRACK_UUID, track);
        head.uint(event::CATEGORY_IIDS, interning.category(category));
        let is_short = name.len() <= MAX_INTERNED_BYTES;
        if is_short {
            head.uint(event::NAME_IID, interning.name(name));
        }
        let SourceLocation { column, function, file, line } = *place;
        if !function.is_empty() || !file.is_empty() || line != 0 {
            head.uint(event::SOURCE_LOCATION_IID, interning.location(place));
        }
        head.append_to(body);
        if !is_short {
            text(body, event::NAME, name);
        }
        if column != 0 {
            debug_annotation(body, interning, "column", &Value::Uint(column.into()));
        }
    }

    fn node(&mut self, node: Option<u64>) {
        if let Some(node) = node {
            debug_annotation(&mut self.body, &mut self.interning, "node", &Value::Uint(node));
        }
    }
}

fn args(out: &mut Vec<u8>, interning: &mut Interning, args: Args<'_>, reserved: Keys) {
    let mut scratch = String::new();
    for (key, value) in args {
        debug_annotation(out, interning, escape_key(key, reserved, &mut scratch), value);
    }
}

fn debug_annotation(out: &mut Vec<u8>, interning: &mut Interning, key: &str, value: &Value<'_>) {
    let name = interning.annotation_name(key);
    let (field, number) = match *value {
        Value::Str(text) if text.len() <= MAX_INTERNED_BYTES => {
            (annotation::STRING_VALUE_IID, interning.string(text))
        }
        Value::Int(number) => (annotation::INT_VALUE, number.cast_unsigned()),
        Value::Uint(number) => (annotation::UINT_VALUE, number),
        Value::Bool(truth) => (annotation::BOOL_VALUE, truth.into()),
        Value::Pointer(address) => (annotation::POINTER_VALUE, address),
        Value::Str(text) => {
            return message(out, event::DEBUG_ANNOTATIONS, |out| {
                uint(out, annotation::NAME_IID, name);
                bytes(out, annotation::STRING_VALUE, text.as_bytes());
            });
        }
        Value::Float(number) => {
            return message(out, event::DEBUG_ANNOTATIONS, |out| {
                uint(out, annotation::NAME_IID, name);
                double(out, annotation::DOUBLE_VALUE, number);
            });
        }
    };
    short_message(out, event::DEBUG_ANNOTATIONS, |body| {
        body.uint(annotation::NAME_IID, name);
        body.uint(field, number);
    });
}
