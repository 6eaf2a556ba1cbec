//! Interned texts: each is stored once and identified by a number.

use crate::hash::hash_bytes;
use crate::id::StringId;
use crate::slots::Slots;
use crate::store::column::Column;
use crate::store::table::columns;

#[derive(Clone, Debug)]
pub(crate) struct StringTable {
    text: Column<u8>,
    ends: Column<u32>,
}

columns!(StringTable { text, ends });

impl Default for StringTable {
    fn default() -> Self {
        Self { text: Column::default(), ends: vec![0].into() }
    }
}

impl StringTable {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the text with a number; empty for a number of another trace.
    pub(crate) fn get(&self, id: StringId) -> &str {
        // Only a damaged file contains invalid UTF-8.
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    fn bytes(&self, id: StringId) -> &[u8] {
        let start = id.index().checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(id.index()).copied().unwrap_or_default();
        self.text.get(start.unwrap_or_default() as usize..end as usize).unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct StringInterner {
    strings: StringTable,
    slots: Slots,
    lost: u64,
}

impl StringInterner {
    /// Returns the number of texts that were lost because the table was full, and read as empty ones.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns the number of a text; the empty text's if the table is full.
    pub(crate) fn intern(&mut self, text: &str) -> StringId {
        if text.is_empty() {
            return StringId(0);
        }
        let hash = hash_bytes(text.as_bytes());
        let found = self.slots.find(hash, |number| self.strings.bytes(StringId(number)) == text.as_bytes());
        if let Some(number) = found {
            return StringId(number);
        }
        let end = u32::try_from(self.strings.text.len() + text.len());
        let number = u32::try_from(self.strings.ends.len()).ok().filter(|number| *number != u32::MAX);
        let (Ok(end), Some(number)) = (end, number) else {
            self.lost += 1;
            return StringId(0);
        };
        self.strings.text.owned().extend_from_slice(text.as_bytes());
        self.strings.ends.push(end);
        self.slots.insert(hash, number);
        StringId(number)
    }

    pub(crate) fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    pub(crate) fn finish(mut self) -> StringTable {
        self.strings.text.owned().shrink_to_fit();
        self.strings.ends.owned().shrink_to_fit();
        self.strings
    }
}

/// Returns a name with every number replaced by `#`: `step 17` of one run corresponds to `step 18` of another.
pub(crate) fn without_numbers(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        let shown = if letter.is_ascii_digit() { '#' } else { letter };
        if shown != '#' || !text.ends_with('#') {
            text.push(shown);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_stored_once() {
        let mut interner = StringInterner::default();
        let ids: Vec<_> = (0..5000).map(|i| interner.intern(&format!("text {i}"))).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(interner.intern(&format!("text {i}")), *id);
            assert_eq!(interner.strings.get(*id), format!("text {i}"));
        }
        assert_eq!(interner.intern(""), StringId(0));
        assert_eq!(interner.finish().get(StringId(9999)), "");
    }

    #[test]
    fn a_number_in_a_name_is_left_out() {
        assert_eq!(without_numbers("ProfilerStep#127 of 3"), "ProfilerStep# of #");
        assert_eq!(without_numbers("warm-up"), "warm-up");
    }
}
