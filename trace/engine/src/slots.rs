//! A hash table of indices whose keys are stored elsewhere, for interning texts and argument sets.

use hashbrown::HashTable;

#[derive(Clone, Debug, Default)]
pub(crate) struct Slots(HashTable<Slot>);

/// A slot of the table. It has 32 bits of the hash, so that the table grows without reading any key.
#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u32,
    tag: u32,
}

impl Slot {
    /// Mixes both halves of a hash: a hasher with 32-bit words (WebAssembly) leaves the upper half empty.
    fn tag(hash: u64) -> u32 {
        (hash ^ (hash >> 32)) as u32
    }

    /// Repeats the tag's bits in both halves of a hash, as the table needs them.
    fn spread(tag: u32) -> u64 {
        u64::from(tag).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Slots {
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let tag = Slot::tag(hash);
        let found = self.0.find(Slot::spread(tag), |slot| slot.tag == tag && is(slot.number));
        found.map(|slot| slot.number)
    }

    /// Inserts an index that is not in the table.
    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        let tag = Slot::tag(hash);
        self.0.insert_unique(Slot::spread(tag), Slot { number, tag }, |slot| Slot::spread(slot.tag));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_however_many_there_are() {
        let mut slots = Slots::default();
        // Many indices share a hash.
        let hash = |number: u32| u64::from(number / 3).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for number in 0..20_000 {
            assert_eq!(slots.find(hash(number), |found| found == number), None);
            slots.insert(hash(number), number);
        }
        for number in 0..20_000 {
            assert_eq!(slots.find(hash(number), |found| found == number), Some(number));
        }
        assert!(slots.find(hash(5), |_| false).is_none());
    }

    #[test]
    fn hashes_of_32_bits_tell_numbers_apart() {
        use std::cell::Cell;
        let hash = |number: u32| u64::from(number.wrapping_mul(0x9e37_79b9));
        for shift in [0, 32] {
            let mut slots = Slots::default();
            (0..10_000).for_each(|number| slots.insert(hash(number) << shift, number));
            let looked_at = Cell::new(0);
            for number in 0..10_000 {
                let is = |found| {
                    looked_at.set(looked_at.get() + 1);
                    found == number
                };
                assert_eq!(slots.find(hash(number) << shift, is), Some(number));
            }
            assert_eq!(looked_at.get(), 10_000, "hashes shifted by {shift}");
        }
    }
}
