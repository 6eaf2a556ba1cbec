//! Ranges, points and counters of a program's frameworks.

use super::python;
use super::tracepoints::copy_value;
use crate::buffer::{Entry, Kind, Producer};
use crate::record::range::{INNERMOST, Scope};
use crate::xpti::{MetadataValue, StreamId};

/// Longest text of a record in bytes; the rest is cut off.
const LONGEST_TEXT: usize = 4096;
/// Longest name of a detail in bytes.
const LONGEST_NAME: usize = 256;

/// Place of a range among others: the framework's stream, whether it may end on another thread, and its domain.
#[derive(Clone, Copy)]
pub(crate) struct Lane<'a> {
    pub(crate) stream: StreamId,
    pub(crate) scope: Scope,
    pub(crate) domain: &'a [u8],
}

/// Detail of a range: its name and its value.
pub(crate) type Detail<'a> = (&'a str, MetadataValue<'a>);

/// A range begins; its end has the same key.
#[inline]
pub(crate) fn on_begin<'a>(
    producer: &Producer,
    lane: Lane<'_>,
    key: u64,
    name: &[u8],
    details: impl Iterator<Item = Detail<'a>>,
) {
    python::on_line(producer, Kind::RangeBegin);
    write(producer, Kind::RangeBegin, lane, key, name, details);
}

/// The innermost range of this lane and key ends.
#[inline]
pub(crate) fn on_end(producer: &Producer, lane: Lane<'_>, key: u64) {
    write(producer, Kind::RangeEnd, lane, key, &[], std::iter::empty());
}

/// The innermost range of this lane ends.
#[inline]
pub(crate) fn on_pop(producer: &Producer, lane: Lane<'_>) {
    on_end(producer, lane, INNERMOST);
}

/// Details of a range that is open.
#[inline]
pub(crate) fn on_detail<'a>(
    producer: &Producer,
    lane: Lane<'_>,
    key: u64,
    details: impl Iterator<Item = Detail<'a>>,
) {
    write(producer, Kind::RangeDetail, lane, key, &[], details);
}

/// A point in time with a name.
#[inline]
pub(crate) fn on_point<'a>(
    producer: &Producer,
    lane: Lane<'_>,
    name: &[u8],
    details: impl Iterator<Item = Detail<'a>>,
) {
    python::on_line(producer, Kind::RangePoint);
    write(producer, Kind::RangePoint, lane, 0, name, details);
}

/// A counter has a value from now on.
#[inline]
pub(crate) fn on_value(producer: &Producer, lane: Lane<'_>, name: &[u8], value: f64) {
    let value = std::iter::once(("", MetadataValue::Float(value)));
    write(producer, Kind::RangeValue, lane, 0, name, value);
}

/// A category of a domain gets a name, paused or not.
#[inline]
pub(crate) fn on_category(producer: &Producer, lane: Lane<'_>, category: u64, name: &[u8]) {
    write(producer, Kind::RangeCategory, lane, category, name, std::iter::empty());
}

#[inline]
fn write<'a>(
    producer: &Producer,
    kind: Kind,
    lane: Lane<'_>,
    key: u64,
    name: &[u8],
    details: impl Iterator<Item = Detail<'a>>,
) {
    producer.write(kind, u32::from(lane.stream.0) << 1 | lane.scope as u32, |entry| {
        entry.word(key);
        add_text(entry, lane.domain);
        add_text(entry, name);
        let place = entry.reserve_word();
        let mut count = 0;
        for (name, value) in details {
            entry.bytes(name.as_bytes().get(..LONGEST_NAME).unwrap_or(name.as_bytes()));
            copy_value(
                entry,
                match value {
                    MetadataValue::Text(text) => MetadataValue::Text(cut(text)),
                    value => value,
                },
            );
            count += 1;
        }
        entry.fill_word(place, count);
    });
}

#[inline]
fn add_text(entry: &mut Entry<'_>, text: &[u8]) {
    entry.bytes(cut(text));
}

#[inline]
fn cut(text: &[u8]) -> &[u8] {
    text.get(..LONGEST_TEXT).unwrap_or(text)
}
