//! Rules for ranges, marks and counters of a program's frameworks.

use std::fmt::Write as _;

use syclscope_language::event::{Category, CounterSample, Event, EventSink, Instant, SliceBegin, Value};
use syclscope_language::time::Timestamp;

use super::pytorch;
use crate::buffer::Kind;
use crate::model::Model;
use crate::model::args::ArgValue;
use crate::model::kernel_names::kokkos_label;
use crate::model::owned_location::OwnedLocation;
use crate::model::ranges::{Detail, Place};
use crate::record::lossy;
use crate::record::range::{RangeRecord, Scope, key};
use crate::xpti::{MetadataValue, StreamId};

impl Model {
    pub(super) fn range(
        &mut self,
        kind: Kind,
        at: Timestamp,
        thread: u32,
        record: &RangeRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let RangeRecord { stream, scope, key, .. } = *record;
        let domain = self.ranges.domain(stream, &record.domain);
        let place = Place { thread, stream, scope, domain, domain_name: &record.domain };
        match kind {
            Kind::RangeEnd => self.ranges.end(place, key, at, sink),
            Kind::RangeDetail => {
                let details = self.details(place, record);
                self.ranges.add_details(place, key, details);
            }
            Kind::RangeValue => {
                let value = match record.details.first() {
                    Some((_, MetadataValue::Float(value))) => *value,
                    _ => return,
                };
                let track = self.ranges.counter(place, &record.name, &mut self.threads, sink);
                sink.event(&Event::Counter(CounterSample { track, at, value }));
            }
            Kind::RangeCategory => self.ranges.name_category(domain, key, &record.name),
            _ => self.range_or_point(kind == Kind::RangeBegin, at, place, record, sink),
        }
    }

    fn range_or_point(
        &mut self,
        is_range: bool,
        at: Timestamp,
        place: Place<'_>,
        record: &RangeRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let details = self.details(place, record);
        let mut args: Vec<(&str, Value<'_>)> = vec![("stream", Value::Str(place.stream.name()))];
        if !place.domain_name.is_empty() {
            args.push(("domain", Value::Str(place.domain_name)));
        }
        if place.scope == Scope::Process {
            args.push(("thread", Value::Uint(place.thread.into())));
        }
        args.extend(details.iter().map(|(name, value)| (name.as_str(), value.as_value())));
        let name = if record.name.is_empty() { "unnamed" } else { record.name.as_ref() };
        let label = (place.stream == StreamId::KOKKOS).then(|| kokkos_label(name));
        let (name, numbers) = match place.stream {
            StreamId::NVTX => pytorch::parts(name),
            _ => (label.as_deref().unwrap_or(name), Vec::new()),
        };
        args.extend(numbers);
        let line = self.python.place(OwnedLocation::default());
        let (category, node, location, args) = (Category::User, None, line.location(), args.as_slice());
        if is_range {
            let track = self.ranges.begin(place, record.key, at, &mut self.threads, sink);
            sink.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
        } else {
            let track = self.ranges.track(place, &mut self.threads, sink);
            sink.event(&Event::Instant(Instant { track, at, category, name, node, location, args }));
        }
    }

    /// Returns the details of a record as arguments; consecutive values with one name are a list.
    fn details(&self, place: Place<'_>, record: &RangeRecord<'_>) -> Vec<Detail> {
        let mut details: Vec<Detail> = Vec::with_capacity(record.details.len());
        for (name, value) in &record.details {
            let value = match (name.as_ref(), *value) {
                (key::CATEGORY, MetadataValue::Unsigned(number)) => {
                    match self.ranges.category(place.domain, number) {
                        Some(name) => ArgValue::Text(name.to_string().into()),
                        None => ArgValue::Value(Value::Uint(number)),
                    }
                }
                (key::COLOUR, MetadataValue::Unsigned(argb)) => {
                    ArgValue::Text(format!("#{:06x}", argb & 0xff_ffff).into())
                }
                (name, MetadataValue::Unsigned(value)) if name.ends_with(key::POINTER) => {
                    ArgValue::Value(Value::Pointer(value))
                }
                (_, value) => owned(value),
            };
            match details.last_mut().filter(|(last, _)| *last == **name) {
                Some((_, list)) => append(list, &value),
                None => details.push((name.clone().into_owned(), value)),
            }
        }
        details
    }
}

fn owned(value: MetadataValue<'_>) -> ArgValue<'static> {
    match value {
        MetadataValue::Text(text) => ArgValue::Text(lossy(text).into_owned().into()),
        MetadataValue::Signed(value) => ArgValue::Value(Value::Int(value)),
        MetadataValue::Unsigned(value) => ArgValue::Value(Value::Uint(value)),
        MetadataValue::Float(value) => ArgValue::Value(Value::Float(value)),
        MetadataValue::Bool(value) => ArgValue::Value(Value::Bool(value)),
        MetadataValue::Binary(bytes) => ArgValue::Text(format!("{} bytes", bytes.len()).into()),
    }
}

fn append(list: &mut ArgValue<'static>, next: &ArgValue<'static>) {
    let text = |value: &ArgValue<'static>| match value {
        ArgValue::Text(text) => text.to_string(),
        ArgValue::Value(Value::Int(value)) => value.to_string(),
        ArgValue::Value(Value::Uint(value)) => value.to_string(),
        ArgValue::Value(Value::Float(value)) => value.to_string(),
        ArgValue::Value(value) => format!("{value:?}"),
    };
    let mut joined = text(list);
    let _ = write!(joined, ", {}", text(next));
    *list = ArgValue::Text(joined.into());
}
