//! Arguments of track events. Lists and messages become JSON text.

use syclscope_language::event::{EventSink, Value as ArgValue};

use super::Reader;
use super::interned::Sequence;
use crate::diagnostics::DiagnosticKind;
use crate::import::limits::{MAX_DEPTH, MAX_RECORD_BYTES};
use crate::proto::fields::annotation;
use crate::proto::walk::{Fields, Value};

/// Arguments of an event: finished ones, and those whose JSON text is still being built.
pub(super) struct Annotations<'p> {
    pub(super) args: Vec<(&'p str, ArgValue<'p>)>,
    /// Concatenated JSON texts, and the end of each.
    pub(super) json: String,
    pub(super) nested: Vec<(&'p str, usize)>,
}

#[derive(Default)]
struct Read<'p> {
    key: &'p str,
    value: Option<ArgValue<'p>>,
    has_parts: bool,
}

impl<S: EventSink> Reader<S> {
    pub(super) fn annotation<'p>(
        &mut self,
        sequence: &'p Sequence,
        body: &'p [u8],
        found: &mut Annotations<'p>,
    ) {
        let read = self.read_annotation(sequence, body);
        if let Some(value) = read.value {
            return found.args.push((read.key, value));
        }
        if !read.has_parts {
            return self.count(DiagnosticKind::UnknownArgument);
        }
        let start = found.json.len();
        let is_read = self.json_of(sequence, body, 0, &mut found.json);
        if is_read && self.has_room_for(found.json.len()) {
            found.nested.push((read.key, found.json.len()));
        } else {
            let is_long = found.json.len() > MAX_RECORD_BYTES;
            found.json.truncate(start);
            self.count(if is_long { DiagnosticKind::Oversized } else { DiagnosticKind::TooDeep });
        }
    }

    /// True if there is memory for a copy of interned texts.
    pub(super) fn has_room_for(&self, bytes: usize) -> bool {
        self.budget.has_room_for_copy(bytes)
    }

    fn read_annotation<'p>(&mut self, sequence: &'p Sequence, body: &'p [u8]) -> Read<'p> {
        let mut read = Read::default();
        for field in Fields::new(body).readable() {
            let value = match (field.number, field.value) {
                (annotation::NAME_IID, Value::Varint(iid)) => {
                    read.key = sequence.text(self.resolve(sequence.annotation_names.get(iid)));
                    continue;
                }
                (annotation::NAME, Value::Bytes(bytes)) => {
                    read.key = self.text(bytes);
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
                    ArgValue::Str(sequence.text(self.resolve(sequence.strings.get(iid))))
                }
                (annotation::DICT_ENTRIES | annotation::ARRAY_VALUES | annotation::NESTED_VALUE, _) => {
                    read.has_parts = true;
                    continue;
                }
                _ => continue,
            };
            read.value = Some(value);
        }
        read
    }

    /// Appends an argument's value as JSON; `false` if it is nested too deeply or too long.
    fn json_of(&mut self, sequence: &Sequence, body: &[u8], depth: usize, out: &mut String) -> bool {
        if depth > MAX_DEPTH || out.len() > MAX_RECORD_BYTES || !self.has_room_for(out.len()) {
            return false;
        }
        let read = self.read_annotation(sequence, body);
        if let Some(value) = read.value {
            json_value(&value, out);
            return true;
        }
        let mut separator = Parts::default();
        for field in Fields::new(body).readable() {
            let right = match (field.number, field.value) {
                (annotation::DICT_ENTRIES, Value::Bytes(entry)) => {
                    separator.next('{', out);
                    json_text(self.read_annotation(sequence, entry).key, out);
                    out.push(':');
                    self.json_of(sequence, entry, depth + 1, out)
                }
                (annotation::ARRAY_VALUES, Value::Bytes(entry)) => {
                    separator.next('[', out);
                    self.json_of(sequence, entry, depth + 1, out)
                }
                (annotation::NESTED_VALUE, Value::Bytes(entry)) if separator.0.is_none() => {
                    return self.json_of_nested(entry, depth + 1, out);
                }
                _ => true,
            };
            if !right {
                return false;
            }
        }
        separator.end(out);
        true
    }

    /// Appends a value in the older encoding of lists and messages.
    fn json_of_nested(&mut self, body: &[u8], depth: usize, out: &mut String) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let mut keys = Vec::new();
        let mut separator = Parts::default();
        let mut entries = 0;
        for field in Fields::new(body).readable() {
            let right = match (field.number, field.value) {
                (2, Value::Bytes(key)) => {
                    keys.push(self.text(key));
                    true
                }
                (3, Value::Bytes(entry)) => {
                    separator.next('{', out);
                    json_text(keys.get(entries).copied().unwrap_or_default(), out);
                    entries += 1;
                    out.push(':');
                    self.json_of_nested(entry, depth + 1, out)
                }
                (4, Value::Bytes(entry)) => {
                    separator.next('[', out);
                    self.json_of_nested(entry, depth + 1, out)
                }
                (number, value) => {
                    let value = match (number, value) {
                        (5, Value::Varint(number)) => ArgValue::Int(number.cast_signed()),
                        (6, Value::Fixed64(bits)) => ArgValue::Float(f64::from_bits(bits)),
                        (7, Value::Varint(truth)) => ArgValue::Bool(truth != 0),
                        (8, Value::Bytes(bytes)) => ArgValue::Str(self.text(bytes)),
                        _ => continue,
                    };
                    json_value(&value, out);
                    return true;
                }
            };
            if !right {
                return false;
            }
        }
        separator.end(out);
        true
    }
}

/// Writes the brackets and commas around parts.
#[derive(Default)]
struct Parts(Option<char>);

impl Parts {
    fn next(&mut self, open: char, out: &mut String) {
        out.push(if self.0.is_some() { ',' } else { open });
        self.0.get_or_insert(if open == '{' { '}' } else { ']' });
    }

    fn end(self, out: &mut String) {
        match self.0 {
            Some(close) => out.push(close),
            None => out.push_str("null"),
        }
    }
}

fn json_value(value: &ArgValue<'_>, out: &mut String) {
    match *value {
        ArgValue::Str(text) => json_text(text, out),
        ArgValue::Int(number) => out.push_str(&number.to_string()),
        ArgValue::Uint(number) => out.push_str(&number.to_string()),
        ArgValue::Float(number) => out.push_str(&serde_json::json!(number).to_string()),
        ArgValue::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
        ArgValue::Pointer(address) => json_text(&format!("{address:#x}"), out),
    }
}

fn json_text(text: &str, out: &mut String) {
    // A text always has a JSON form.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
