//! Sorts that are compiled once, for lists outside of hot paths.
//!
//! The standard library's sorts are fast, but compiled again for each type and each comparison: two hundred of them
//! took a sixth of the engine's code. These sort indices through a dynamic call, and swap the elements afterwards.

use std::cmp::Ordering;

/// Stable sorts of a list.
pub trait Sorting<T> {
    /// Sorts by the elements' own order.
    fn arrange(&mut self)
    where
        T: Ord;

    /// Sorts by a comparison.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is computed again for each comparison.
    fn arrange_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// Sorts by a key, which is computed once for each element.
    fn arrange_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Sorting<T> for [T] {
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(Ord::cmp);
    }

    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let swaps = swaps(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        swaps.into_iter().for_each(|(one, other)| self.swap(one, other));
    }

    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|one, other| key(one).cmp(&key(other)));
    }

    fn arrange_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let swaps = swaps(self.len(), &mut |one, other| keys[one].cmp(&keys[other]));
        swaps.into_iter().for_each(|(one, other)| self.swap(one, other));
    }
}

/// Returns the swaps that sort elements, given a comparison of their indices.
fn swaps(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    if len < 2 {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|one, other| compare(*one, *other));
    let mut swaps = Vec::new();
    for first in 0..len {
        let mut place = first;
        while order[place] != first {
            let from = std::mem::replace(&mut order[place], place);
            swaps.push((place, from));
            place = from;
        }
        order[place] = place;
    }
    swaps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_sorted_as_the_standard_library_does(list: Vec<(u8, u16)>) {
            let sorted = |sort: fn(&mut Vec<(u8, u16)>)| {
                let mut list = list.clone();
                sort(&mut list);
                list
            };
            let expected = sorted(|list| list.sort_by_key(|(key, _)| *key % 16));
            prop_assert_eq!(&sorted(|list| list.arrange_by_key(|(key, _)| *key % 16)), &expected);
            prop_assert_eq!(&sorted(|list| list.arrange_by_cached_key(|(key, _)| *key % 16)), &expected);
            let backwards = sorted(|list| list.sort_by(|one, other| other.cmp(one)));
            prop_assert_eq!(sorted(|list| list.arrange()), sorted(|list| list.sort()));
            prop_assert_eq!(&sorted(|list| list.arrange_by(|one, other| other.cmp(one))), &backwards);
        }
    }
}
