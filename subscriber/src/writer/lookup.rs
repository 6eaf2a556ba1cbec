//! Metadata recorded as framework ids: the first record with an id has its definition.

use rustc_hash::FxHashMap;

use crate::buffer::{Header, Id};
use crate::record::{Cursor, read_value, tag};
use crate::xpti::{Framework, MetadataValue};

#[derive(Default)]
pub(crate) struct Lookup {
    strings: FxHashMap<u32, Vec<u8>>,
    /// `None` for an id without a value.
    values: FxHashMap<i32, Option<Vec<u8>>>,
    /// Values that every record with their id defines: the last record's values.
    passing: Vec<(i32, Option<Vec<u8>>)>,
    /// Recently replaced ids, by [`place`]: a program submits from few places, each time with the same ids.
    recent: [Items; RECENT],
    record: Vec<u8>,
}

const RECENT: usize = 32;

/// The ids of a record, which all have values, and the items that replace them.
#[derive(Default)]
struct Items {
    ids: Vec<u8>,
    items: Vec<u8>,
}

/// Returns the slot of a record's ids: by the first and the last.
fn place(ids: &[u8]) -> usize {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes));
    let ends = word(ids.first_chunk()) ^ word(ids.last_chunk()).rotate_left(21);
    (ends.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59) as usize % RECENT
}

impl Lookup {
    /// Reads the definitions in the next records; other threads may use these ids from then on.
    pub(crate) fn learn(&mut self, mut records: &[u8]) {
        while let Some(header) =
            records.first_chunk::<8>().and_then(|word| Header::unpack(u64::from_ne_bytes(*word)))
        {
            let Some((record, rest)) = records.split_at_checked(header.words.max(1) as usize * 8) else {
                return;
            };
            if header.has_definitions
                && let Some(parts) = Parts::parse(record)
            {
                let mut cursor = Cursor::from_bytes(parts.behind);
                for _ in 0..cursor.word() {
                    self.define(&mut cursor);
                }
                self.passing.clear();
            }
            records = rest;
        }
    }

    fn define(&mut self, cursor: &mut Cursor<'_>) {
        match Id::unpack(cursor.word()) {
            Id::String(id) => {
                let mut words = Vec::new();
                add_bytes(cursor.bytes(), &mut words);
                self.strings.entry(id).or_insert(words);
            }
            Id::Value(id) => {
                let is_known = cursor.word() != 0;
                let value = is_known.then(|| {
                    let mut words = Vec::new();
                    add_value(read_value(cursor), &mut words);
                    words
                });
                if Id::Value(id).is_passing() {
                    self.passing.push((id, value));
                } else {
                    self.values.entry(id).or_insert(value);
                }
            }
        }
    }

    /// Replaces the ids of a record by their values; `None` if the record is incomplete.
    pub(crate) fn expand(&mut self, header: Header, record: &[u8]) -> Option<Cursor<'_>> {
        let Parts { before, ids, mut behind } = Parts::parse(record.get(..header.words as usize * 8)?)?;
        if header.has_definitions {
            let mut cursor = Cursor::from_bytes(behind);
            for _ in 0..cursor.word() {
                self.define(&mut cursor);
            }
            behind = cursor.rest();
        }
        // Header and time are not part of the fields.
        self.record.clear();
        self.record.extend_from_slice(before.get(16..)?);
        self.add_all(ids);
        self.record.extend_from_slice(behind);
        Some(Cursor::from_bytes(&self.record))
    }

    /// Adds the number of a record's items that have a value, and these items. The value of an id never changes.
    fn add_all(&mut self, ids: &[u8]) {
        let all = ids.len() as u64 / 8;
        let recent = &self.recent[place(ids)];
        if self.passing.is_empty() && !ids.is_empty() && recent.ids == ids {
            self.record.extend_from_slice(&all.to_ne_bytes());
            self.record.extend_from_slice(&recent.items);
            return;
        }
        let begin = self.record.len();
        self.record.extend_from_slice(&[0; 8]);
        let mut count = 0_u64;
        for id in ids.chunks_exact(8).filter_map(|id| id.first_chunk::<8>()) {
            let id = u64::from_ne_bytes(*id);
            count += u64::from(self.add((id >> 32) as u32, id as u32 as i32));
        }
        self.record[begin..begin + 8].copy_from_slice(&count.to_ne_bytes());
        if self.passing.is_empty() && count == all {
            let Items { ids: known, items } = &mut self.recent[place(ids)];
            ids.clone_into(known);
            self.record[begin + 8..].clone_into(items);
        }
        self.passing.clear();
    }

    /// Adds an item; false if it has no value. Queries the framework if the record that defines an id has not arrived
    /// yet, which fails outside of the program's process.
    fn add(&mut self, key: u32, value: i32) -> bool {
        let Self { strings, values, passing, record, .. } = self;
        let framework = Framework::get();
        if let Some(framework) = framework {
            strings.entry(key).or_insert_with(|| {
                let mut words = Vec::new();
                add_bytes(framework.string(key), &mut words);
                words
            });
            if !Id::Value(value).is_passing() && !values.contains_key(&value) {
                framework.with_value(value, |content| {
                    let mut words = Vec::new();
                    add_value(content, &mut words);
                    values.insert(value, Some(words));
                });
            }
        }
        let passing = passing.iter().find(|(id, _)| *id == value).map(|(_, value)| value);
        let (Some(key), Some(Some(value))) = (strings.get(&key), passing.or_else(|| values.get(&value)))
        else {
            return false;
        };
        record.extend_from_slice(key);
        record.extend_from_slice(value);
        true
    }
}

struct Parts<'a> {
    /// Header, time and fields.
    before: &'a [u8],
    ids: &'a [u8],
    /// Definitions, and fields again.
    behind: &'a [u8],
}

impl<'a> Parts<'a> {
    fn parse(record: &'a [u8]) -> Option<Self> {
        let (body, last) = record.split_last_chunk::<8>()?;
        let (before, rest) =
            body.split_at_checked(usize::try_from(u64::from_ne_bytes(*last)).ok()?.checked_mul(8)?)?;
        let (count, rest) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_ne_bytes(*count)).ok()?.checked_mul(8)?;
        let (ids, behind) = rest.split_at_checked(length)?;
        Some(Self { before, ids, behind })
    }
}

/// Adds bytes like [`crate::buffer::Entry::bytes`].
fn add_bytes(bytes: &[u8], words: &mut Vec<u8>) {
    words.extend_from_slice(&(bytes.len() as u64).to_ne_bytes());
    words.extend_from_slice(bytes);
    // Padded to whole words, like all of a record.
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
