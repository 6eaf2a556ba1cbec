//! Ranges, marks and counters of a program's frameworks.

use super::lost_ranges::{begins, ends};
use super::python;
use super::tracepoints::copy_value;
use crate::buffer::{Entry, Kind, Producer};
use crate::record::range::{INNERMOST, RangePlace};
use crate::xpti::MetadataValue;

/// Maximum length of a text in a record, in bytes; longer texts are truncated.
const MAX_TEXT_BYTES: usize = 4096;
/// Maximum length of a detail's name, in bytes.
const MAX_NAME_BYTES: usize = 256;

pub(crate) type Detail<'a> = (&'a str, MetadataValue<'a>);

/// Starts a range; its end has the same key.
#[inline]
pub(crate) fn on_begin<'a>(
    producer: &Producer,
    place: RangePlace<'_>,
    key: u64,
    name: &[u8],
    details: impl Iterator<Item = Detail<'a>>,
) {
    python::on_line(producer, Kind::RangeBegin);
    let is_there = write(producer, Kind::RangeBegin, place, key, name, details);
    // While the recording is paused, the end can't match an open range.
    begins(place, key, is_there || producer.is_paused());
}

/// Ends the innermost range with this place and key; does nothing if its start was dropped.
#[inline]
pub(crate) fn on_end(producer: &Producer, place: RangePlace<'_>, key: u64) {
    if ends(place, key) {
        write(producer, Kind::RangeEnd, place, key, &[], std::iter::empty());
    }
}

#[inline]
pub(crate) fn on_pop(producer: &Producer, place: RangePlace<'_>) {
    on_end(producer, place, INNERMOST);
}

#[inline]
pub(crate) fn on_detail<'a>(
    producer: &Producer,
    place: RangePlace<'_>,
    key: u64,
    details: impl Iterator<Item = Detail<'a>>,
) {
    write(producer, Kind::RangeDetail, place, key, &[], details);
}

#[inline]
pub(crate) fn on_point<'a>(
    producer: &Producer,
    place: RangePlace<'_>,
    name: &[u8],
    details: impl Iterator<Item = Detail<'a>>,
) {
    python::on_line(producer, Kind::RangePoint);
    write(producer, Kind::RangePoint, place, 0, name, details);
}

#[inline]
pub(crate) fn on_value(producer: &Producer, place: RangePlace<'_>, name: &[u8], value: f64) {
    let value = std::iter::once(("", MetadataValue::Float(value)));
    write(producer, Kind::RangeValue, place, 0, name, value);
}

/// Names a category of a domain, even while paused.
#[inline]
pub(crate) fn on_category(producer: &Producer, place: RangePlace<'_>, category: u64, name: &[u8]) {
    write(producer, Kind::RangeCategory, place, category, name, std::iter::empty());
}

#[inline]
fn write<'a>(
    producer: &Producer,
    kind: Kind,
    place: RangePlace<'_>,
    key: u64,
    name: &[u8],
    details: impl Iterator<Item = Detail<'a>>,
) -> bool {
    producer.write(kind, u32::from(place.stream.0) << 1 | place.scope as u32, |entry| {
        entry.word(key);
        add_text(entry, place.domain);
        add_text(entry, name);
        let counted = entry.reserve_word();
        let mut count = 0;
        for (name, value) in details {
            entry.bytes(name.as_bytes().get(..MAX_NAME_BYTES).unwrap_or(name.as_bytes()));
            copy_value(
                entry,
                match value {
                    MetadataValue::Text(text) => MetadataValue::Text(cut(text)),
                    value => value,
                },
            );
            count += 1;
        }
        entry.fill_word(counted, count);
    })
}

#[inline]
fn add_text(entry: &mut Entry<'_>, text: &[u8]) {
    entry.bytes(cut(text));
}

#[inline]
fn cut(text: &[u8]) -> &[u8] {
    text.get(..MAX_TEXT_BYTES).unwrap_or(text)
}
