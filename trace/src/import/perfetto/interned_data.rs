//! Reads the texts that a packet brings along for itself and those after it.

use super::Reader;
use super::interned::{Sequence, Specification};
use crate::event::{EventSink, SourceLocation};
use crate::proto::fields::{interned, location, specification};
use crate::proto::walk::{Fields, Value};

impl<'a, S: EventSink> Reader<'a, '_, S> {
    pub(super) fn interned_data(&mut self, sequence: &mut Sequence<'a>, body: &'a [u8]) {
        for field in Fields::new(body).flatten() {
            let Value::Bytes(entry) = field.value else { continue };
            match field.number {
                interned::EVENT_CATEGORIES => {
                    self.entry(entry, |iid, text| sequence.categories.set(iid, text))
                }
                interned::EVENT_NAMES => self.entry(entry, |iid, text| sequence.names.set(iid, text)),
                interned::DEBUG_ANNOTATION_NAMES => {
                    self.entry(entry, |iid, text| sequence.annotation_names.set(iid, text));
                }
                interned::DEBUG_ANNOTATION_STRING_VALUES => {
                    self.entry(entry, |iid, text| sequence.strings.set(iid, text));
                }
                interned::SOURCE_LOCATIONS => {
                    let (iid, place) = self.source_location(entry);
                    sequence.locations.set(iid, place);
                }
                interned::GPU_SPECIFICATIONS => self.specification(sequence, entry),
                _ => {}
            }
        }
    }

    fn entry(&mut self, entry: &'a [u8], set: impl FnOnce(u64, &'a str)) {
        let (mut iid, mut text) = (0, "");
        for field in Fields::new(entry).flatten() {
            match (field.number, field.value) {
                (interned::IID, Value::Varint(value)) => iid = value,
                (interned::TEXT, Value::Bytes(bytes)) => text = self.text(bytes),
                _ => {}
            }
        }
        set(iid, text);
    }

    /// A source location, with its number if it has one.
    pub(super) fn source_location(&mut self, entry: &'a [u8]) -> (u64, SourceLocation<'a>) {
        let (mut iid, mut place) = (0, SourceLocation::default());
        for field in Fields::new(entry).flatten() {
            match (field.number, field.value) {
                (interned::IID, Value::Varint(value)) => iid = value,
                (location::FILE_NAME, Value::Bytes(bytes)) => place.file = self.text(bytes),
                (location::FUNCTION_NAME, Value::Bytes(bytes)) => place.function = self.text(bytes),
                (location::LINE_NUMBER, Value::Varint(value)) => {
                    place.line = u32::try_from(value).unwrap_or_default();
                }
                _ => {}
            }
        }
        (iid, place)
    }

    fn specification(&mut self, sequence: &mut Sequence<'a>, entry: &'a [u8]) {
        let (mut iid, mut read) = (0, Specification::default());
        for field in Fields::new(entry).flatten() {
            match (field.number, field.value) {
                (interned::IID, Value::Varint(value)) => iid = value,
                (specification::NAME, Value::Bytes(bytes)) => read.name = self.text(bytes),
                (specification::DESCRIPTION, Value::Bytes(bytes)) => read.description = self.text(bytes),
                (specification::CATEGORY, Value::Varint(value)) => read.category = value,
                _ => {}
            }
        }
        sequence.specifications.set(iid, read);
    }
}
