//! The open slices of each id, from the innermost to the outermost.

use rustc_hash::FxHashMap;

use super::Open;
use crate::hash::hash_bytes;

const NOWHERE: u32 = u32::MAX;

/// An entry for an open slice, linked to its neighbours among the slices of its id.
#[derive(Debug)]
struct Place {
    slice: Open,
    key: u64,
    /// Lookup key: its id and name.
    named: u64,
    inner: u32,
    outer: u32,
    /// The next outer one with its name.
    outer_of_name: u32,
}

#[derive(Debug, Default)]
pub(super) struct OpenSlices {
    places: Vec<Option<Place>>,
    free: Vec<u32>,
    /// The innermost slice of each id.
    innermost: FxHashMap<u64, u32>,
    /// The innermost one with a name.
    named: FxHashMap<u64, u32>,
}

impl OpenSlices {
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub(super) fn innermost(&self, key: u64) -> Option<&Open> {
        let place = self.places.get(*self.innermost.get(&key)? as usize)?;
        place.as_ref().map(|place| &place.slice)
    }

    /// Opens a slice inside the others of its id.
    pub(super) fn push(&mut self, key: u64, slice: Open) {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() as u32 - 1
        });
        let named = name_key(key, &slice.name);
        let outer = self.innermost.insert(key, number).unwrap_or(NOWHERE);
        let outer_of_name = self.named.insert(named, number).unwrap_or(NOWHERE);
        if let Some(outer) = self.place(outer) {
            outer.inner = number;
        }
        self.places[number as usize] =
            Some(Place { slice, key, named, inner: NOWHERE, outer, outer_of_name });
    }

    /// Removes the innermost slice of an id with a name, else the innermost one.
    pub(super) fn take(&mut self, key: u64, name: &str) -> Option<Open> {
        let named = self.named.get(&name_key(key, name)).or_else(|| self.innermost.get(&key));
        let number = *named?;
        let Place { slice, key, named, inner, outer, outer_of_name } =
            self.places.get_mut(number as usize)?.take()?;
        self.free.push(number);
        // In both cases, the slice is the innermost one with its name.
        step_out(&mut self.named, named, outer_of_name);
        match self.place(inner) {
            Some(inner) => inner.outer = outer,
            None => step_out(&mut self.innermost, key, outer),
        }
        if let Some(outer) = self.place(outer) {
            outer.inner = inner;
        }
        Some(slice)
    }

    fn place(&mut self, number: u32) -> Option<&mut Place> {
        self.places.get_mut(number as usize)?.as_mut()
    }

    /// Returns all open slices, in arbitrary order.
    pub(super) fn into_slices(self) -> Vec<Open> {
        self.places.into_iter().flatten().map(|place| place.slice).collect()
    }
}

/// Returns the number of an id and a name.
pub(super) fn name_key(key: u64, name: &str) -> u64 {
    key.rotate_left(32) ^ hash_bytes(name.as_bytes())
}

fn step_out(innermost: &mut FxHashMap<u64, u32>, key: u64, outer: u32) {
    if outer == NOWHERE {
        innermost.remove(&key);
    } else {
        innermost.insert(key, outer);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use syclscope_language::event::Category;
    use syclscope_language::time::Timestamp;

    use super::*;

    fn slice(number: u64, name: &str) -> Open {
        let (category, name) = (Category::Other, name.to_owned());
        Open { track: 1, at: Timestamp(number), category, name, args: Vec::new() }
    }

    proptest! {
        #[test]
        fn what_ends_is_the_innermost_of_its_name(
            steps in prop::collection::vec((any::<bool>(), 0..3_u64, 0..4_usize), 0..200),
        ) {
            let names = ["a", "b", "c", "d"];
            let mut open = OpenSlices::default();
            let mut stacks = vec![Vec::<(u64, usize)>::new(); 3];
            for (number, (begins, key, name)) in (0..).zip(steps) {
                let stack = &mut stacks[key as usize];
                if begins {
                    open.push(key, slice(number, names[name]));
                    stack.push((number, name));
                } else {
                    let of_name = stack.iter().rposition(|(_, known)| *known == name);
                    let expected = of_name.or(stack.len().checked_sub(1)).map(|at| stack.remove(at).0);
                    prop_assert_eq!(open.take(key, names[name]).map(|slice| slice.at.0), expected);
                }
                let innermost = stacks[key as usize].last().map(|(number, _)| *number);
                prop_assert_eq!(open.innermost(key).map(|slice| slice.at.0), innermost);
                prop_assert_eq!(open.len(), stacks.iter().map(Vec::len).sum::<usize>());
            }
            let mut left: Vec<u64> = open.into_slices().iter().map(|slice| slice.at.0).collect();
            let mut expected: Vec<u64> = stacks.concat().iter().map(|(number, _)| *number).collect();
            left.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(left, expected);
        }
    }
}
