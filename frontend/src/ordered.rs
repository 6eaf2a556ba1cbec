//! Small ordered collections. They are lists: a tree of the standard library is several kilobytes of code per item
//! type, and the page's collections are short.

use std::borrow::Borrow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<K: Ord, V> OrderedMap<K, V> {
    /// Returns the index of a key, or its insertion index.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &self.entries[place].1)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    pub fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(place) => self.entries[place].1 = value,
            Err(place) => self.entries.insert(place, (key, value)),
        }
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Ok(place) = self.place(key) {
            self.entries.remove(place);
        }
    }
}

impl<K, V> OrderedMap<K, V> {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }
}

/// Later values replace earlier ones of the same key.
impl<K: Ord, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderedSet {
    numbers: Vec<u32>,
}

impl OrderedSet {
    pub fn contains(&self, number: u32) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }

    pub fn insert(&mut self, number: u32) {
        if let Err(place) = self.numbers.binary_search(&number) {
            self.numbers.insert(place, number);
        }
    }

    pub fn remove(&mut self, number: u32) -> bool {
        let place = self.numbers.binary_search(&number);
        if let Ok(place) = place {
            self.numbers.remove(place);
        }
        place.is_ok()
    }

    pub fn clear(&mut self) {
        self.numbers.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, u32> {
        self.numbers.iter()
    }
}

impl FromIterator<u32> for OrderedSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = Self::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Returns pseudorandom numbers, the same in each run.
    fn numbers() -> impl Iterator<Item = u32> {
        let mut state = 1_u32;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        })
    }

    #[test]
    fn a_map_is_as_a_tree_is() {
        let (mut map, mut tree, mut numbers) = (OrderedMap::default(), BTreeMap::new(), numbers());
        for _ in 0..2_000 {
            let (step, key) = (numbers.next().unwrap(), numbers.next().unwrap() % 20);
            if step % 2 == 0 {
                map.insert(key, step);
                tree.insert(key, step);
            } else {
                map.remove(&key);
                tree.remove(&key);
            }
            let other = numbers.next().unwrap() % 20;
            assert_eq!(
                (map.get(&other), map.contains_key(&other)),
                (tree.get(&other), tree.contains_key(&other))
            );
            assert!(map.iter().eq(tree.iter()));
            assert_eq!((map.len(), map.is_empty()), (tree.len(), tree.is_empty()));
        }
        assert_eq!(tree.into_iter().rev().collect::<OrderedMap<_, _>>(), map);
    }

    #[test]
    fn a_set_is_as_a_tree_is() {
        let (mut set, mut tree, mut numbers) = (OrderedSet::default(), BTreeSet::new(), numbers());
        for _ in 0..2_000 {
            let (step, number) = (numbers.next().unwrap(), numbers.next().unwrap() % 20);
            if step % 2 == 0 {
                set.insert(number);
                tree.insert(number);
            } else {
                assert_eq!(set.remove(number), tree.remove(&number));
            }
            let other = numbers.next().unwrap() % 20;
            assert_eq!(set.contains(other), tree.contains(&other));
            assert!(set.iter().eq(tree.iter()));
            assert_eq!(set.is_empty(), tree.is_empty());
        }
        assert_eq!(tree.into_iter().rev().collect::<OrderedSet>(), set);
    }
}
