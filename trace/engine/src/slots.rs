//! A hash table of numbers whose keys lie elsewhere: what interning looks texts and argument sets up with.

use hashbrown::HashTable;

/// Numbers by the hash of their key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots(HashTable<Slot>);

/// A slot keeps 32 bits of the hash, so that the table grows without a look at any key.
#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u32,
    tag: u32,
}

impl Slot {
    /// The tag's bits all over a hash, as the table wants them.
    fn spread(tag: u32) -> u64 {
        u64::from(tag).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Slots {
    /// The number with a hash for which `is` is true.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let tag = (hash >> 32) as u32;
        let found = self.0.find(Slot::spread(tag), |slot| slot.tag == tag && is(slot.number));
        found.map(|slot| slot.number)
    }

    /// Adds a number that was not found.
    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        let tag = (hash >> 32) as u32;
        self.0.insert_unique(Slot::spread(tag), Slot { number, tag }, |slot| Slot::spread(slot.tag));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_however_many_there_are() {
        let mut slots = Slots::default();
        // Many share a hash.
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
}
