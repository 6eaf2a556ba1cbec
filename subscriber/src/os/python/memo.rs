//! Results cached per thread by a hash of everything they depend on.
//!
//! Addresses are not part of a key: memory may be freed and reused by other code.

use std::cell::Cell;
use std::hash::{Hash, Hasher as _};

/// A fixed number of results by hash; a new one replaces another.
pub(super) struct Memo<const PLACES: usize>([Cell<(u64, u64)>; PLACES]);

impl<const PLACES: usize> Memo<PLACES> {
    pub(super) const fn new() -> Self {
        Self([const { Cell::new((0, 0)) }; PLACES])
    }

    /// Returns the result for a key, computed by `work` unless it is cached.
    #[inline]
    pub(super) fn get(&self, key: impl Hash, work: impl FnOnce() -> u64) -> u64 {
        let hash = hash(key);
        let place = &self.0[(hash >> 48) as usize % PLACES];
        let (place_hash, result) = place.get();
        if place_hash == hash && hash != 0 {
            return result;
        }
        let result = work();
        place.set((hash, result));
        result
    }
}

#[inline]
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_that_of_its_key() {
        let memo = Memo::<64>::new();
        for round in 0..3 {
            for key in 0..1000_u64 {
                assert_eq!(memo.get((key, "text"), || key * 7), key * 7, "round {round}");
            }
        }
        assert_eq!(memo.get("one", || 1), 1);
        assert_eq!(memo.get("one", || unreachable!("it is remembered")), 1);
    }
}
