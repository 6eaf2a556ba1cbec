//! Interned texts: each is stored once, and is known by a number.

use crate::hash::hash_bytes;
use crate::id::StringId;
use crate::store::column::Column;
use crate::store::table::columns;

/// The texts of a trace.
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
    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a number; empty for a number of another trace.
    pub(crate) fn get(&self, id: StringId) -> &str {
        // Only the bytes of a damaged file are anything else.
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    fn bytes(&self, id: StringId) -> &[u8] {
        let start = id.index().checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(id.index()).copied().unwrap_or_default();
        self.text.get(start.unwrap_or_default() as usize..end as usize).unwrap_or_default()
    }
}

/// Fills a [`StringTable`].
#[derive(Clone, Debug)]
pub(crate) struct StringInterner {
    strings: StringTable,
    /// Open addressing: a text's number plus one and the upper half of its hash; 0 is free.
    slots: Vec<(u32, u32)>,
    /// Texts that found no room.
    lost: u64,
}

impl Default for StringInterner {
    fn default() -> Self {
        Self { strings: StringTable::default(), slots: vec![(0, 0); 1024], lost: 0 }
    }
}

impl StringInterner {
    /// How many texts found no room and read as empty ones.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// The number of a text; that of the empty one when there is no room for it.
    pub(crate) fn intern(&mut self, text: &str) -> StringId {
        if text.is_empty() {
            return StringId(0);
        }
        let hash = hash_bytes(text.as_bytes());
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                (0, _) => break,
                (number, found)
                    if found == tag && self.strings.bytes(StringId(number - 1)) == text.as_bytes() =>
                {
                    return StringId(number - 1);
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        let end = u32::try_from(self.strings.text.len() + text.len());
        let number = u32::try_from(self.strings.ends.len()).ok().filter(|number| *number != u32::MAX);
        let (Ok(end), Some(number)) = (end, number) else {
            self.lost += 1;
            return StringId(0);
        };
        self.strings.text.owned().extend_from_slice(text.as_bytes());
        self.strings.ends.push(end);
        self.slots[slot] = (number + 1, tag);
        if self.strings.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        StringId(number)
    }

    /// The text of a number.
    pub(crate) fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    /// The filled table.
    pub(crate) fn finish(mut self) -> StringTable {
        self.strings.text.owned().shrink_to_fit();
        self.strings.ends.owned().shrink_to_fit();
        self.strings
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots = vec![(0, 0); size];
        for number in 1..self.strings.ends.len() as u32 {
            let hash = hash_bytes(self.strings.bytes(StringId(number)));
            let mut slot = hash as usize & (size - 1);
            while self.slots[slot].0 != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (number + 1, (hash >> 32) as u32);
        }
    }
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
}
