//! Common start of most records: a tracepoint's ids, its payload, its text and its metadata.

use std::borrow::Cow;

use super::cursor::{Cursor, lossy};
use crate::xpti::MetadataValue;

pub(crate) struct Tracepoint<'a> {
    pub(crate) universal_id: u64,
    pub(crate) instance: u64,
    /// Two numbers whose meaning depends on the kind of record: the stashed queue, an edge's ends.
    pub(crate) numbers: [u64; 2],
    pub(crate) name: Cow<'a, str>,
    pub(crate) file: Cow<'a, str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The user data, if it is text.
    pub(crate) text: Cow<'a, str>,
    pub(crate) metadata: Vec<(Cow<'a, str>, MetadataValue<'a>)>,
}

impl<'a> Tracepoint<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Self {
        let universal_id = cursor.word();
        let instance = cursor.word();
        let numbers = [cursor.word(), cursor.word()];
        let place = cursor.word();
        let (name, file, text) = (cursor.text(), cursor.text(), cursor.text());
        let count = cursor.word();
        // Reserves no more than most have: the number may come from a torn record.
        let mut metadata = Vec::with_capacity(count.min(16) as usize);
        for _ in 0..count {
            let key = cursor.text();
            metadata.push((key, read_value(cursor)));
        }
        let (line, column) = (place as u32, (place >> 32) as u32);
        Self { universal_id, instance, numbers, name, file, line, column, text, metadata }
    }

    pub(crate) fn value(&self, key: &str) -> Option<MetadataValue<'a>> {
        self.metadata.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.value(key)?.as_u64()
    }

    pub(crate) fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        match self.value(key)? {
            MetadataValue::Text(text) => Some(lossy(text)),
            _ => None,
        }
    }
}

/// Tags of values, as written by the handlers.
pub(crate) mod tag {
    pub(crate) const TEXT: u64 = 0;
    pub(crate) const SIGNED: u64 = 1;
    pub(crate) const UNSIGNED: u64 = 2;
    pub(crate) const FLOAT: u64 = 3;
    pub(crate) const BOOL: u64 = 4;
    pub(crate) const BINARY: u64 = 5;
}

pub(crate) fn read_value<'a>(cursor: &mut Cursor<'a>) -> MetadataValue<'a> {
    match cursor.word() {
        tag::TEXT => MetadataValue::Text(cursor.bytes()),
        tag::SIGNED => MetadataValue::Signed(cursor.word() as i64),
        tag::UNSIGNED => MetadataValue::Unsigned(cursor.word()),
        tag::FLOAT => MetadataValue::Float(f64::from_bits(cursor.word())),
        tag::BOOL => MetadataValue::Bool(cursor.word() != 0),
        _ => MetadataValue::Binary(cursor.bytes()),
    }
}
