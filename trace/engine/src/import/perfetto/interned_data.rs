//! Interned texts in a packet.

use syclscope_language::event::{EventSink, SourceLocation};

use super::Reader;
use super::interned::{InternedPlace, Sequence, Specification, Text};
use crate::proto::fields::{interned, location, specification};
use crate::proto::walk::{Fields, Value};

impl<S: EventSink> Reader<S> {
    pub(super) fn interned_data(&mut self, sequence: &mut Sequence, body: &[u8]) {
        for field in Fields::new(body).readable() {
            let Value::Bytes(entry) = field.value else { continue };
            match field.number {
                interned::EVENT_CATEGORIES => {
                    let (iid, text) = self.entry(sequence, entry);
                    sequence.categories.set(iid, text);
                }
                interned::EVENT_NAMES => {
                    let (iid, text) = self.entry(sequence, entry);
                    sequence.names.set(iid, text);
                }
                interned::DEBUG_ANNOTATION_NAMES => {
                    let (iid, text) = self.entry(sequence, entry);
                    sequence.annotation_names.set(iid, text);
                }
                interned::DEBUG_ANNOTATION_STRING_VALUES => {
                    let (iid, text) = self.entry(sequence, entry);
                    sequence.strings.set(iid, text);
                }
                interned::SOURCE_LOCATIONS => {
                    let (iid, place) = self.source_location(entry);
                    let SourceLocation { function, file, line, .. } = place;
                    let place =
                        InternedPlace { function: sequence.keep(function), file: sequence.keep(file), line };
                    sequence.locations.set(iid, place);
                }
                interned::GPU_SPECIFICATIONS => {
                    let (iid, read) = self.specification(sequence, entry);
                    sequence.specifications.set(iid, read);
                }
                _ => {}
            }
        }
    }

    fn entry(&mut self, sequence: &mut Sequence, entry: &[u8]) -> (u64, Text) {
        let (mut iid, mut text) = (0, "");
        for field in Fields::new(entry).readable() {
            match (field.number, field.value) {
                (interned::IID, Value::Varint(value)) => iid = value,
                (interned::TEXT, Value::Bytes(bytes)) => text = self.text(bytes),
                _ => {}
            }
        }
        (iid, sequence.keep(text))
    }

    /// Returns a source location, with its number if it has one.
    pub(super) fn source_location<'a>(&mut self, entry: &'a [u8]) -> (u64, SourceLocation<'a>) {
        let (mut iid, mut place) = (0, SourceLocation::default());
        for field in Fields::new(entry).readable() {
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

    fn specification(&mut self, sequence: &mut Sequence, entry: &[u8]) -> (u64, Specification) {
        let (mut iid, mut read) = (0, Specification::default());
        for field in Fields::new(entry).readable() {
            match (field.number, field.value) {
                (interned::IID, Value::Varint(value)) => iid = value,
                (specification::NAME, Value::Bytes(bytes)) => read.name = sequence.keep(self.text(bytes)),
                (specification::DESCRIPTION, Value::Bytes(bytes)) => {
                    read.description = sequence.keep(self.text(bytes));
                }
                (specification::CATEGORY, Value::Varint(value)) => read.category = value,
                _ => {}
            }
        }
        (iid, read)
    }

    /// Returns a hardware queue or stage of a list: a name and a description.
    pub(super) fn listed_specification(&mut self, sequence: &mut Sequence, entry: &[u8]) -> Specification {
        let mut read = Specification::default();
        for field in Fields::new(entry).readable() {
            match (field.number, field.value) {
                (1, Value::Bytes(bytes)) => read.name = sequence.keep(self.text(bytes)),
                (2, Value::Bytes(bytes)) => read.description = sequence.keep(self.text(bytes)),
                _ => {}
            }
        }
        read
    }
}
