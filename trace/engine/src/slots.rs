//! A hash table of numbers whose keys lie elsewhere: what interning looks texts and argument sets up with.
//!
//! Open addressing. A slot keeps 32 bits of the hash, which say its place too: the table grows without a look at any
//! key, front to back.

/// Numbers by the hash of their key.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// A number plus one, or 0 where nothing is, and the hash.
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Default for Slots {
    fn default() -> Self {
        Self { slots: vec![(0, 0); 1024], used: 0 }
    }
}

impl Slots {
    /// The number with a hash of which `is` says that it is the right one, or the free slot for it.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = tag as usize & mask;
        loop {
            match self.slots[slot] {
                (0, _) => return Err(slot),
                (number, found) if found == tag && is(number - 1) => return Ok(number - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Puts a number into the free slot that was found for it.
    pub(crate) fn insert(&mut self, slot: usize, hash: u64, number: u32) {
        self.slots[slot] = (number + 1, (hash >> 32) as u32);
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (number, tag) in old.into_iter().filter(|(number, _)| *number != 0) {
            let mut slot = tag as usize & (size - 1);
            while self.slots[slot].0 != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (number, tag);
        }
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
            let free = slots.find(hash(number), |found| found == number).unwrap_err();
            slots.insert(free, hash(number), number);
        }
        for number in 0..20_000 {
            assert_eq!(slots.find(hash(number), |found| found == number), Ok(number));
        }
        assert!(slots.find(hash(5), |_| false).is_err());
    }
}
