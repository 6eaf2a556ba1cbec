//! Arguments: each distinct set is stored once, packed into bytes, and decoded on access.
//!
//! An argument is a key's number (key text and type, interned together) and its value, both variable-length integers;
//! floating point numbers are eight bytes.

use rustc_hash::FxHashMap;
use syclscope_language::event::Value;

use super::column::{Cell, Column};
use super::table::columns;
use crate::hash::hash_bytes;
use crate::id::{ArgsId, StringId};
use crate::proto::encode::varint;
use crate::slots::Slots;
use crate::strings::{StringInterner, StringTable};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tag {
    Str,
    Int,
    Uint,
    Float,
    False,
    True,
    Pointer,
}

impl Cell for Tag {
    type Raw = u8;

    fn to_raw(self) -> u8 {
        self as u8
    }

    fn of_raw(raw: u8) -> Self {
        let tags = [Self::Str, Self::Int, Self::Uint, Self::Float, Self::False, Self::True, Self::Pointer];
        tags.get(usize::from(raw)).copied().unwrap_or(Self::Uint)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ArgTable {
    key: Column<StringId>,
    tag: Column<Tag>,
    bytes: Column<u8>,
    ends: Column<u32>,
}

columns!(ArgTable { key, tag, bytes, ends });

impl Default for ArgTable {
    fn default() -> Self {
        let (key, tag, bytes) = Default::default();
        Self { key, tag, bytes, ends: vec![0].into() }
    }
}

impl ArgTable {
    /// Returns the number of sets, the empty one included.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the arguments of a set, in the recorded order.
    pub(crate) fn get<'a>(
        &'a self,
        id: ArgsId,
        strings: &'a StringTable,
    ) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let mut rest = self.set(id);
        std::iter::from_fn(move || {
            let number = take_varint(&mut rest)? as usize;
            let (key, tag) = (number < self.key.len()).then(|| (self.key.at(number), self.tag.at(number)))?;
            let value = match tag {
                Tag::Str => Value::Str(strings.get(StringId(take_varint(&mut rest)? as u32))),
                Tag::Int => Value::Int(unzigzag(take_varint(&mut rest)?)),
                Tag::Uint => Value::Uint(take_varint(&mut rest)?),
                Tag::Pointer => Value::Pointer(take_varint(&mut rest)?),
                Tag::False => Value::Bool(false),
                Tag::True => Value::Bool(true),
                Tag::Float => {
                    let (bits, after) = rest.split_first_chunk::<8>()?;
                    rest = after;
                    Value::Float(f64::from_le_bytes(*bits))
                }
            };
            Some((strings.get(key), value))
        })
    }

    fn set(&self, id: ArgsId) -> &[u8] {
        let start = id.index().checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(id.index()).copied().unwrap_or_default();
        self.bytes.get(start.unwrap_or_default() as usize..end as usize).unwrap_or_default()
    }
}

/// Keys whose number is known without a lookup in the table of all keys.
const RECENT: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct ArgInterner {
    table: ArgTable,
    keys: FxHashMap<(u32, Tag), u32>,
    /// Last value found for each group of similar keys.
    recent: Vec<((u32, Tag), u32)>,
    slots: Slots,
}

impl Default for ArgInterner {
    fn default() -> Self {
        // No text has this number.
        let recent = vec![((u32::MAX, Tag::Str), 0); RECENT];
        Self { table: ArgTable::default(), keys: FxHashMap::default(), recent, slots: Slots::default() }
    }
}

impl ArgInterner {
    pub(crate) fn encode(
        &mut self,
        key: &str,
        value: &Value<'_>,
        strings: &mut StringInterner,
        out: &mut Vec<u8>,
    ) {
        let tag = match value {
            Value::Str(_) => Tag::Str,
            Value::Int(_) => Tag::Int,
            Value::Uint(_) => Tag::Uint,
            Value::Float(_) => Tag::Float,
            Value::Bool(false) => Tag::False,
            Value::Bool(true) => Tag::True,
            Value::Pointer(_) => Tag::Pointer,
        };
        let key = self.key(strings.intern(key), tag);
        varint(out, key.into());
        match *value {
            Value::Str(text) => varint(out, strings.intern(text).0.into()),
            Value::Int(number) => varint(out, zigzag(number)),
            Value::Uint(number) | Value::Pointer(number) => varint(out, number),
            Value::Float(number) => out.extend_from_slice(&number.to_le_bytes()),
            Value::Bool(_) => {}
        }
    }

    fn key(&mut self, key: StringId, tag: Tag) -> u32 {
        let recent = &mut self.recent[(key.index() * 8 + tag as usize) % RECENT];
        if recent.0 != (key.0, tag) {
            let table = &mut self.table;
            let number = *self.keys.entry((key.0, tag)).or_insert_with(|| {
                table.key.push(key);
                table.tag.push(tag);
                table.key.len() as u32 - 1
            });
            *recent = ((key.0, tag), number);
        }
        recent.1
    }

    pub(crate) fn set(&self, id: ArgsId) -> &[u8] {
        self.table.set(id)
    }

    /// Returns the number of a packed set; `None` if the table is full.
    pub(crate) fn intern(&mut self, packed: &[u8]) -> Option<ArgsId> {
        if packed.is_empty() {
            return Some(ArgsId(0));
        }
        let hash = hash_bytes(packed);
        if let Some(number) = self.slots.find(hash, |number| self.table.set(ArgsId(number)) == packed) {
            return Some(ArgsId(number));
        }
        let end = u32::try_from(self.table.bytes.len() + packed.len()).ok()?;
        let number = u32::try_from(self.table.ends.len()).ok()?;
        self.table.bytes.owned().extend_from_slice(packed);
        self.table.ends.push(end);
        self.slots.insert(hash, number);
        Some(ArgsId(number))
    }

    pub(crate) fn finish(mut self) -> ArgTable {
        self.table.bytes.owned().shrink_to_fit();
        self.table.ends.owned().shrink_to_fit();
        self.table
    }
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(packed: u64) -> i64 {
    (packed >> 1).cast_signed() ^ -(packed & 1).cast_signed()
}

fn take_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (position, byte) in rest.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * position);
        if *byte < 0x80 {
            *rest = &rest[position + 1..];
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_read_back_and_are_stored_once() {
        let mut strings = StringInterner::default();
        let mut args = ArgInterner::default();
        let values = [
            ("text", Value::Str("é")),
            ("text", Value::Uint(u64::MAX)),
            ("int", Value::Int(i64::MIN)),
            ("int", Value::Int(-1)),
            ("float", Value::Float(-0.0)),
            ("yes", Value::Bool(true)),
            ("no", Value::Bool(false)),
            ("", Value::Pointer(0x7fff_0000_1234)),
        ];
        let mut packed = Vec::new();
        for (key, value) in &values {
            args.encode(key, value, &mut strings, &mut packed);
        }
        let id = args.intern(&packed).unwrap();
        assert_eq!(args.intern(&packed), Some(id));
        for other in 0..3000_u32 {
            assert_ne!(args.intern(&[&[0_u8], &other.to_le_bytes()[..]].concat()), Some(id));
        }
        let (args, strings) = (args.finish(), strings.finish());
        assert_eq!(args.get(id, &strings).collect::<Vec<_>>(), values);
        assert_eq!(args.get(ArgsId(0), &strings).count(), 0);
        assert_eq!(args.get(ArgsId(u32::MAX), &strings).count(), 0);
    }
}
