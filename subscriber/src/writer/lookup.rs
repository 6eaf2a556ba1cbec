//! Metadata that was recorded by the framework's ids, looked up once for each id.

use std::collections::HashMap;

use crate::buffer::Header;
use crate::record::{Cursor, tag};
use crate::xpti::{Framework, MetadataValue};

/// What ids stand for, as records hold it.
#[derive(Default)]
pub(crate) struct Lookup {
    keys: HashMap<u32, Vec<u8>>,
    /// The record that was made last.
    record: Vec<u8>,
}

impl Lookup {
    /// A record with ids as one that holds what they stand for; nothing if it isn't whole.
    pub(crate) fn expand(&mut self, header: Header, record: &[u8]) -> Option<Cursor<'_>> {
        let record = record.get(..header.words as usize * 8)?;
        let (body, last) = record.split_last_chunk::<8>()?;
        let (head, rest) = body.split_at_checked(u64::from_ne_bytes(*last) as usize * 8)?;
        let (count, rest) = rest.split_first_chunk::<8>()?;
        let (ids, more) = rest.split_at_checked(u64::from_ne_bytes(*count) as usize * 8)?;
        // Header and time are not part of the fields.
        self.record.clear();
        self.record.extend_from_slice(head.get(16..)?);
        let place = self.record.len();
        self.record.extend_from_slice(&[0; 8]);
        let mut count = 0_u64;
        if let Some(framework) = Framework::get() {
            for id in ids.chunks_exact(8).filter_map(|id| id.first_chunk::<8>()) {
                let id = u64::from_ne_bytes(*id);
                count += u64::from(self.add((id >> 32) as u32, id as u32 as i32, framework));
            }
        }
        self.record[place..place + 8].copy_from_slice(&count.to_ne_bytes());
        self.record.extend_from_slice(more);
        Some(Cursor::of(&self.record))
    }

    fn add(&mut self, key: u32, value: i32, framework: &Framework) -> bool {
        let Self { keys, record } = self;
        let key = keys.entry(key).or_insert_with(|| {
            let mut words = Vec::new();
            add_bytes(framework.string(key), &mut words);
            words
        });
        let mut is_known = false;
        framework.with_value(value, |value| {
            is_known = true;
            record.extend_from_slice(key);
            add_value(value, record);
        });
        is_known
    }
}

/// As [`crate::buffer::Entry::bytes`] has it.
fn add_bytes(bytes: &[u8], words: &mut Vec<u8>) {
    words.extend_from_slice(&(bytes.len() as u64).to_ne_bytes());
    words.extend_from_slice(bytes);
    // Whole words, like all of a record.
    words.resize(words.len().next_multiple_of(8), 0);
}

fn add_value(value: MetadataValue<'_>, words: &mut Vec<u8>) {
    let (tag, word) = match value {
        MetadataValue::Text(bytes) => {
            words.extend_from_slice(&tag::TEXT.to_ne_bytes());
            return add_bytes(bytes, words);
        }
        MetadataValue::Binary(bytes) => {
            words.extend_from_slice(&tag::BINARY.to_ne_bytes());
            return add_bytes(bytes, words);
        }
        MetadataValue::Signed(value) => (tag::SIGNED, value as u64),
        MetadataValue::Unsigned(value) => (tag::UNSIGNED, value),
        MetadataValue::Float(value) => (tag::FLOAT, value.to_bits()),
        MetadataValue::Bool(value) => (tag::BOOL, value.into()),
    };
    words.extend_from_slice(&tag.to_ne_bytes());
    words.extend_from_slice(&word.to_ne_bytes());
}
