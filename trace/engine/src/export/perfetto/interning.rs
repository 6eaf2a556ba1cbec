//! Interned texts of a Perfetto file: each is stored once, by number.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::{NodeKind, SourceLocation};

use crate::proto::encode::{message, text, text_if_any, uint};
use crate::proto::fields::{interned, location, specification};

/// Size of the interned texts at which the writer restarts the sequence, so that its memory stays bounded.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// Number of texts of a table that are found without hashing them completely.
const RECENT: usize = 64;

#[derive(Debug)]
struct Table {
    iids: FxHashMap<Arc<str>, u64>,
    /// Number of texts; ids count from 1.
    texts: u64,
    /// Recently used texts with their numbers, by [`place`]. Programs use few texts, again and again.
    recent: [Option<(Arc<str>, u64)>; RECENT],
}

impl Default for Table {
    fn default() -> Self {
        Self { iids: FxHashMap::default(), texts: 0, recent: [const { None }; RECENT] }
    }
}

impl Table {
    /// Returns the number of a text, or, as an error, the number assigned to a new text.
    fn find(&mut self, key: &str) -> Result<u64, u64> {
        let recent = &mut self.recent[place(key.as_bytes())];
        if let Some((text, iid)) = recent
            && is_same(text.as_bytes(), key.as_bytes())
        {
            return Ok(*iid);
        }
        if let Some((text, iid)) = self.iids.get_key_value(key) {
            *recent = Some((Arc::clone(text), *iid));
            return Ok(*iid);
        }
        let text: Arc<str> = key.into();
        self.texts += 1;
        let iid = self.texts;
        *recent = Some((Arc::clone(&text), iid));
        self.iids.insert(text, iid);
        Err(iid)
    }
}

/// Compares texts. Most have up to 16 bytes: two possibly overlapping words are compared inline, without a call.
#[inline]
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let words = |bytes: &[u8]| Some((*bytes.first_chunk::<8>()?, *bytes.last_chunk::<8>()?));
    let halves = |bytes: &[u8]| Some((*bytes.first_chunk::<4>()?, *bytes.last_chunk::<4>()?));
    left.len() == right.len()
        && match left.len() {
            8..=16 => words(left) == words(right),
            4..8 => halves(left) == halves(right),
            _ => left == right,
        }
}

/// Returns the slot of a text among the recent ones: by its length, its first and its last bytes.
fn place(key: &[u8]) -> usize {
    let word = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let ends = word(key.first_chunk()) ^ word(key.last_chunk()).rotate_left(13) ^ key.len() as u32;
    (ends.wrapping_mul(0x9e37_79b9) >> 26) as usize % RECENT
}

/// The last used source location and its number: a command's node, submission and signal have the same.
#[derive(Debug, Default)]
struct LastLocation {
    file: String,
    function: String,
    line: u32,
    /// 0 before the first.
    iid: u64,
}

/// The interned texts of the sequence, with the texts for the next packet.
#[derive(Debug, Default)]
pub(super) struct Interning {
    categories: Table,
    names: Table,
    annotation_names: Table,
    strings: Table,
    locations: Table,
    last_location: LastLocation,
    specifications: Table,
    text_bytes: usize,
    scratch: String,
    /// Encoded `InternedData` fields for the next packet.
    pub(super) fresh: Vec<u8>,
}

impl Interning {
    /// True if the texts have grown so large that the sequence must restart.
    pub(super) fn is_full(&self) -> bool {
        self.text_bytes > MAX_TEXT_BYTES
    }

    pub(super) fn category(&mut self, text: &str) -> u64 {
        entry(&mut self.categories, interned::EVENT_CATEGORIES, text, &mut self.text_bytes, &mut self.fresh)
    }

    pub(super) fn name(&mut self, text: &str) -> u64 {
        entry(&mut self.names, interned::EVENT_NAMES, text, &mut self.text_bytes, &mut self.fresh)
    }

    pub(super) fn annotation_name(&mut self, text: &str) -> u64 {
        let field = interned::DEBUG_ANNOTATION_NAMES;
        entry(&mut self.annotation_names, field, text, &mut self.text_bytes, &mut self.fresh)
    }

    pub(super) fn string(&mut self, text: &str) -> u64 {
        let field = interned::DEBUG_ANNOTATION_STRING_VALUES;
        entry(&mut self.strings, field, text, &mut self.text_bytes, &mut self.fresh)
    }

    /// Returns the number of a source location; the column is ignored.
    pub(super) fn location(&mut self, place: &SourceLocation<'_>) -> u64 {
        let Self { locations, last_location: last, text_bytes, scratch, fresh, .. } = self;
        let is_last = last.line == place.line && last.file == place.file && last.function == place.function;
        if is_last && last.iid != 0 {
            return last.iid;
        }
        scratch.clear();
        // The line's digits in base 64: this runs for almost every event.
        let digits = (0..6).map(|digit| char::from((place.line >> (6 * digit) & 0x3f) as u8 + b'0'));
        scratch.extend(digits);
        scratch.extend([place.file, "\0", place.function]);
        let iid = locations.find(scratch).unwrap_or_else(|iid| {
            *text_bytes += scratch.len();
            message(fresh, interned::SOURCE_LOCATIONS, |out| {
                uint(out, interned::IID, iid);
                text_if_any(out, location::FILE_NAME, place.file);
                text_if_any(out, location::FUNCTION_NAME, place.function);
                uint(out, location::LINE_NUMBER, place.line.into());
            });
            iid
        });
        place.file.clone_into(&mut last.file);
        place.function.clone_into(&mut last.function);
        (last.line, last.iid) = (place.line, iid);
        iid
    }

    /// Returns the number of a GPU specification: a queue or, with its kind, a kernel or command. Its description has
    /// two parts.
    pub(super) fn specification(
        &mut self,
        name: &str,
        description: [&str; 2],
        kind: Option<NodeKind>,
    ) -> u64 {
        let Self { specifications, text_bytes, scratch, fresh, .. } = self;
        scratch.clear();
        scratch.extend([description[0], description[1], "\0", name]);
        specifications.find(scratch).unwrap_or_else(|iid| {
            *text_bytes += scratch.len();
            message(fresh, interned::GPU_SPECIFICATIONS, |out| {
                uint(out, interned::IID, iid);
                text(out, specification::NAME, name);
                text(out, specification::DESCRIPTION, &description.concat());
                let category = if kind == Some(NodeKind::Kernel) {
                    specification::COMPUTE
                } else {
                    specification::OTHER
                };
                uint(out, specification::CATEGORY, category);
            });
            iid
        })
    }
}

fn entry(table: &mut Table, field: u32, key: &str, text_bytes: &mut usize, fresh: &mut Vec<u8>) -> u64 {
    table.find(key).unwrap_or_else(|iid| {
        *text_bytes += key.len() + 16;
        message(fresh, field, |out| {
            uint(out, interned::IID, iid);
            text(out, interned::TEXT, key);
        });
        iid
    })
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn texts_of_every_length_are_told_apart() {
        for length in 0..40 {
            let text = vec![b'a'; length];
            assert!(is_same(&text, &text.clone()));
            for place in 0..length {
                let mut other = text.clone();
                other[place] = b'b';
                assert!(!is_same(&text, &other), "{length} {place}");
            }
            assert!(!is_same(&text, &[&text[..], b"a"].concat()));
        }
    }
}
