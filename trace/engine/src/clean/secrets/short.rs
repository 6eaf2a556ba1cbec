//! Short texts that are searched as whole words.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::LONG;

pub(super) struct ShortTexts<T> {
    /// Values by [`key`], which consists of the text's length and bytes.
    values: FxHashMap<u64, T>,
    /// One bit for each length that occurs.
    lengths: u8,
}

impl<T> Default for ShortTexts<T> {
    fn default() -> Self {
        Self { values: FxHashMap::default(), lengths: 0 }
    }
}

impl<T> ShortTexts<T> {
    /// Adds a text of less than [`LONG`] bytes.
    pub(super) fn add(&mut self, text: &str, value: T) {
        self.lengths |= 1 << text.len();
        self.values.insert(key(text), value);
    }

    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, &'t T)> {
        let lengths = (0..LONG).filter(|length| self.lengths & (1 << length) != 0);
        lengths.flat_map(move |length| {
            text.char_indices().filter_map(move |(start, _)| {
                let range = start..start + length;
                Some((range.clone(), self.values.get(&key(text.get(range)?))?))
            })
        })
    }
}

fn key(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |key, byte| key << 8 | u64::from(byte))
}
