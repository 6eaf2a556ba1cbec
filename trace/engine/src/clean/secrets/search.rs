//! Search for many texts at once, in time linear in the searched bytes and with a few words of memory per text,
//! whatever its length.
//!
//! An automaton of all texts has a state per byte, which takes dozens of times as much memory. Instead, a table has
//! hashes of prefixes of the texts: for a text of 150 bytes, those of its first 128, 144, 148 and 150 bytes. At a
//! position of the searched bytes, steps of falling powers of two find the longest of these prefixes there, and the
//! table gives the longest text within it. Hashes have 61 bits and a random base; collisions are not checked for.

use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::id::{NONE, some};

/// Minimum length of a text in bytes. A filter contains the first bytes of texts, so that few positions are examined.
pub(super) const MIN_BYTES: usize = 6;

/// Bits of the filter for each text.
const FILTER_BITS: usize = 16;
/// Maximum memory of the table, the filter and the lists, for each prefix of a text: a text has as many prefixes as its
/// length has bits.
const BYTES_PER_BEGINNING: u64 = 40;
const BYTES_PER_TEXT: u64 = 64;

pub(super) struct Search {
    filter: Filter,
    /// The longest text within each prefix, or `NONE`.
    beginnings: FxHashMap<u64, u32>,
    lengths: Vec<u32>,
    /// The next shorter text that is a prefix of a text, or `NONE`.
    shorter: Vec<u32>,
    hasher: Hasher,
    longest: usize,
}

impl Search {
    /// Returns an upper bound of the memory of a search for `count` texts.
    pub(super) fn memory_bytes(count: usize, longest: usize) -> u64 {
        let beginnings = u64::from(usize::BITS - longest.leading_zeros());
        (count as u64).saturating_mul(BYTES_PER_TEXT + beginnings * BYTES_PER_BEGINNING)
    }

    /// Returns a search for sorted, distinct texts that are no shorter than [`MIN_BYTES`].
    pub(super) fn new<'t>(texts: impl ExactSizeIterator<Item = &'t [u8]>) -> Self {
        let mut search = Self {
            filter: Filter::new(texts.len()),
            beginnings: FxHashMap::default(),
            lengths: Vec::with_capacity(texts.len()),
            shorter: Vec::with_capacity(texts.len()),
            hasher: Hasher::random(),
            longest: 0,
        };
        // Texts that are prefixes of the previous one, the shortest first.
        let mut within: Vec<(u32, &[u8])> = Vec::new();
        for (number, text) in (0..).zip(texts) {
            while within.last().is_some_and(|(_, shorter)| !text.starts_with(shorter)) {
                within.pop();
            }
            search.filter.add(text);
            search.lengths.push(text.len() as u32);
            search.shorter.push(within.last().map_or(NONE, |(shorter, _)| *shorter));
            search.longest = search.longest.max(text.len());
            within.push((number, text));
            search.add_beginnings(text, &within);
        }
        search
    }

    fn add_beginnings(&mut self, text: &[u8], within: &[(u32, &[u8])]) {
        let hashes = self.hasher.of_beginnings(text);
        let mut length = text.len();
        let mut within = within.iter().rev();
        let mut best = within.next();
        while length > 0 {
            while best.is_some_and(|(_, shorter)| shorter.len() > length) {
                best = within.next();
            }
            let best = best.map_or(NONE, |(number, _)| *number);
            self.beginnings.insert(key(hashes[length], length), best);
            length &= length - 1;
        }
    }

    /// Returns the length of the longest text in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    pub(super) fn length(&self, number: u32) -> usize {
        self.lengths[number as usize] as usize
    }

    pub(super) fn shorter(&self, number: u32) -> Option<u32> {
        some(self.shorter[number as usize])
    }

    /// Returns the positions in `bytes` at which texts start, with the number of the longest one there. Only `places`
    /// are examined.
    pub(super) fn find<'s>(
        &'s self,
        bytes: &'s [u8],
        places: Range<usize>,
    ) -> impl Iterator<Item = (usize, u32)> + 's {
        let last = (bytes.len() + 1).saturating_sub(MIN_BYTES);
        let mut hashes = Vec::new();
        let places = places.start..places.end.min(last);
        places.filter(|at| self.filter.may_hold(&bytes[*at..])).filter_map(move |at| {
            if hashes.is_empty() {
                hashes = self.hasher.of_beginnings(bytes);
            }
            Some((at, self.longest_at(&hashes, at)?))
        })
    }

    fn longest_at(&self, hashes: &[u64], at: usize) -> Option<u32> {
        let left = hashes.len() - 1 - at;
        let (mut length, mut power, mut found) = (0, 1, NONE);
        let bits = usize::BITS - self.longest.leading_zeros();
        for bit in (0..bits).rev() {
            let longer = length + (1 << bit);
            if longer > left {
                continue;
            }
            let longer_power = multiplied(power, self.hasher.powers[bit as usize]);
            let hash = difference(hashes[at + longer], multiplied(hashes[at], longer_power));
            if let Some(best) = self.beginnings.get(&key(hash, longer)) {
                (length, power, found) = (longer, longer_power, *best);
            }
        }
        some(found)
    }
}

/// A Bloom filter of the first bytes of texts.
struct Filter {
    bits: Vec<u64>,
    shift: u32,
}

impl Filter {
    fn new(texts: usize) -> Self {
        let bits = texts.saturating_mul(FILTER_BITS).next_power_of_two().max(1 << 10);
        Self { bits: vec![0; bits / 64], shift: 64 - bits.trailing_zeros() }
    }

    fn add(&mut self, text: &[u8]) {
        let place = self.place(text);
        self.bits[place / 64] |= 1 << (place % 64);
    }

    fn may_hold(&self, bytes: &[u8]) -> bool {
        let place = self.place(bytes);
        self.bits[place / 64] & 1 << (place % 64) != 0
    }

    fn place(&self, bytes: &[u8]) -> usize {
        let first = match bytes.first_chunk() {
            Some(first) => u64::from_le_bytes(*first) << 16,
            None => {
                let first = bytes[..MIN_BYTES].iter().rev();
                first.fold(0, |first, byte| first << 8 | u64::from(*byte)) << 16
            }
        };
        (first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }
}

/// Hashes are numbers below this prime.
const PRIME: u64 = (1 << 61) - 1;

/// Hasher of texts: the hashes of a text's prefixes give the hashes of all its parts.
struct Hasher {
    base: u64,
    /// The base, its second power, its fourth, and so on.
    powers: Vec<u64>,
}

impl Hasher {
    fn random() -> Self {
        let base = RandomState::new().hash_one(0) % (PRIME - (1 << 32)) + (1 << 31);
        let powers = std::iter::successors(Some(base), |power| Some(multiplied(*power, *power)));
        Self { base, powers: powers.take(usize::BITS as usize).collect() }
    }

    /// Returns the hashes of the prefixes of length 0, 1, 2, ….
    fn of_beginnings(&self, bytes: &[u8]) -> Vec<u64> {
        let mut hash = 0;
        let mut hashes = Vec::with_capacity(bytes.len() + 1);
        hashes.push(hash);
        hashes.extend(bytes.iter().map(|byte| {
            hash = sum(multiplied(hash, self.base), u64::from(*byte) + 1);
            hash
        }));
        hashes
    }
}

fn key(hash: u64, length: usize) -> u64 {
    hash ^ (length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn multiplied(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    sum(product as u64 & PRIME, (product >> 61) as u64)
}

fn sum(one: u64, other: u64) -> u64 {
    let sum = one + other;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn difference(one: u64, other: u64) -> u64 {
    sum(one, PRIME - other)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the longest text at each position, by brute force.
    fn expected(texts: &[Vec<u8>], bytes: &[u8]) -> Vec<(usize, u32)> {
        let longest_at = |at: usize| {
            let there = (0..).zip(texts).filter(|(_, text)| bytes[at..].starts_with(text));
            there.max_by_key(|(_, text)| text.len()).map(|(number, _)| (at, number))
        };
        (0..bytes.len()).filter_map(longest_at).collect()
    }

    fn search(texts: &mut Vec<Vec<u8>>) -> Search {
        texts.retain(|text| text.len() >= MIN_BYTES);
        texts.sort();
        texts.dedup();
        Search::new(texts.iter().map(Vec::as_slice))
    }

    proptest! {
        #[test]
        fn the_longest_text_is_found_at_every_place(
            mut texts in prop::collection::vec(prop::collection::vec(0..2_u8, 0..40), 0..60),
            bytes in prop::collection::vec(0..2_u8, 0..200),
            cut in 0..200_usize,
        ) {
            let search = search(&mut texts);
            let all: Vec<(usize, u32)> = search.find(&bytes, 0..bytes.len()).collect();
            prop_assert_eq!(&all, &expected(&texts, &bytes));
            let cut = cut.min(bytes.len());
            let parts: Vec<(usize, u32)> =
                search.find(&bytes, 0..cut).chain(search.find(&bytes, cut..bytes.len())).collect();
            prop_assert_eq!(all, parts);
            for (number, text) in (0..).zip(&texts) {
                let begins = |other: &u32| text.starts_with(&texts[*other as usize]);
                let others = (0..texts.len() as u32).filter(|other| *other != number).filter(begins);
                let longest = others.max_by_key(|other| texts[*other as usize].len());
                prop_assert_eq!(search.shorter(number), longest);
            }
        }

        /// Memory depends on the number of texts, whatever their lengths and similarity.
        #[test]
        fn memory_follows_the_number_of_texts(
            length in prop::sample::select(vec![8_usize, 150, 4_000]),
            common in 0..4_000_usize,
            step in 1..7_usize,
        ) {
            let common = common.min(length - 8);
            let text = |number: usize| {
                let mut text = vec![b'x'; common];
                text.extend(format!("{:0>1$}", number * step, length - common).bytes());
                text
            };
            let mut texts: Vec<Vec<u8>> = (0..500).map(text).collect();
            let search = search(&mut texts);
            let taken = search.beginnings.capacity() * 2 * size_of::<(u64, u32)>()
                + (search.lengths.capacity() + search.shorter.capacity()) * size_of::<u32>()
                + search.filter.bits.len() * size_of::<u64>();
            prop_assert!(taken as u64 <= Search::memory_bytes(texts.len(), length), "{taken}");
            for (number, text) in (0..).zip(&texts) {
                prop_assert_eq!(search.find(text, 0..1).next(), Some((0, number)));
            }
        }
    }

    #[test]
    fn nothing_is_found_by_a_search_for_nothing() {
        let search = search(&mut Vec::new());
        assert_eq!(search.find(b"anything", 0..8).count(), 0);
        assert_eq!(search.longest(), 0);
    }
}
