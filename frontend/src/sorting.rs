//! Sorting. The standard library's sort is fast but large, and compiled again for every type; this uses one instance
//! for all.

pub mod ordered;

use std::cmp::Ordering;

pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut places = places(items.len(), &mut |one, other| compare(&items[one], &items[other]));
    for at in 0..items.len() {
        while places[at] != at {
            let to = places[at];
            items.swap(at, to);
            places.swap(at, to);
        }
    }
}

pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, Ord::cmp);
}

pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorted order as indices.
fn places(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    // The standard library's stable sort has twice the code; comparing indices makes this one stable.
    order.sort_unstable_by(|one, other| compare(*one, *other).then(one.cmp(other)));
    let mut places = vec![0; len];
    for (place, item) in order.into_iter().enumerate() {
        places[item] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_and_equal_ones_keep_their_order() {
        let mut state = 7_u32;
        let mut random = |limit| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % limit
        };
        for len in [0, 1, 2, 3, 20, 500] {
            let items: Vec<(u32, usize)> = (0..len).map(|place| (random(10), place)).collect();
            let (mut sorted, mut expected) = (items.clone(), items);
            sort(&mut sorted);
            expected.sort();
            assert_eq!(sorted, expected);
            sort_by_key(&mut sorted, |item| item.0);
            expected.sort_by_key(|item| item.0);
            assert_eq!(sorted, expected);
            sort_by(&mut sorted, |one, other| other.cmp(one));
            expected.sort_by(|one, other| other.cmp(one));
            assert_eq!(sorted, expected);
        }
    }
}
