//! Alignment of two sequences: pairs of corresponding positions.
//!
//! Small parts are aligned exactly, with as many pairs as possible (Needleman and Wunsch, 1970, with a score of one for
//! equal elements and zero otherwise). Larger ones are split at elements, then at words of several elements, that occur
//! once on both sides (Cohen's patience diff). Parts without such anchors are aligned within a band around their
//! diagonal. So the cost is linear in the length, not quadratic.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;

use crate::cancel;

/// Parts of up to this many cells are aligned exactly.
pub(super) const EXACT_CELLS: usize = 1 << 20;
const BAND_CELLS: usize = 1 << 24;
/// Lengths of the words that can be anchors.
const WORDS: [usize; 3] = [1, 4, 16];

/// Weight of a pair of equal elements, by their positions.
type Weight<'w> = &'w dyn Fn(usize, usize) -> u32;

/// Returns the pairs of equal elements that keep their order, by position.
pub(super) fn align(a: &[u32], b: &[u32]) -> Vec<(u32, u32)> {
    within(a, b, None, EXACT_CELLS)
}

/// Like [`align`], for elements that represent several each, by their sizes: a pair weighs the smaller of its two
/// sizes. Within an exactly aligned part, no other choice of pairs weighs more.
pub(super) fn align_weighted(a: &[u32], b: &[u32], sizes: [&[u32]; 2]) -> Vec<(u32, u32)> {
    within(a, b, Some(sizes), EXACT_CELLS)
}

/// Like [`align_weighted`], splitting parts of more than `exact_cells` cells; without sizes, all pairs weigh the same.
fn within(a: &[u32], b: &[u32], sizes: Option<[&[u32]; 2]>, exact_cells: usize) -> Vec<(u32, u32)> {
    let weight = |one: usize, other: usize| sizes.map_or(1, |[of_a, of_b]| of_a[one].min(of_b[other]));
    // Elements of different sizes may have better partners later.
    let is_pair = |one: usize, other: usize| {
        a[one] == b[other] && sizes.is_none_or(|[of_a, of_b]| of_a[one] == of_b[other])
    };
    let mut pairs = Vec::new();
    let mut open = vec![(0..a.len(), 0..b.len())];
    let mut push = |one: usize, other: usize| pairs.push((one as u32, other as u32));
    while let Some((mut in_a, mut in_b)) = open.pop() {
        while !in_a.is_empty() && !in_b.is_empty() && is_pair(in_a.start, in_b.start) {
            push(in_a.start, in_b.start);
            (in_a.start, in_b.start) = (in_a.start + 1, in_b.start + 1);
        }
        while !in_a.is_empty() && !in_b.is_empty() && is_pair(in_a.end - 1, in_b.end - 1) {
            (in_a.end, in_b.end) = (in_a.end - 1, in_b.end - 1);
            push(in_a.end, in_b.end);
        }
        cancel::spend(1 + (in_a.len() + in_b.len()) / 8);
        if in_a.is_empty() || in_b.is_empty() {
            continue;
        }
        let (part_a, part_b) = (&a[in_a.clone()], &b[in_b.clone()]);
        if part_a.len().saturating_mul(part_b.len()) <= exact_cells {
            let own = |one: usize, other: usize| weight(in_a.start + one, in_b.start + other);
            let found = table(part_a, part_b, part_b.len(), &own);
            found.into_iter().for_each(|(one, other)| push(in_a.start + one, in_b.start + other));
            continue;
        }
        let Some(anchors) = WORDS.iter().find_map(|length| anchors(part_a, part_b, *length)) else {
            let found = banded(part_a, part_b);
            found.into_iter().for_each(|(one, other)| push(in_a.start + one, in_b.start + other));
            continue;
        };
        let (mut from_a, mut from_b) = (in_a.start, in_b.start);
        for (one, other) in anchors {
            let (one, other) = (in_a.start + one, in_b.start + other);
            push(one, other);
            open.push((from_a..one, from_b..other));
            (from_a, from_b) = (one + 1, other + 1);
        }
        open.push((from_a..in_a.end, from_b..in_b.end));
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the positions of words that occur once on either side, in the order of both; `None` without such words.
fn anchors(a: &[u32], b: &[u32], length: usize) -> Option<Vec<(usize, usize)>> {
    /// Position of a word on each side: none, one, or several.
    type Places = [Option<Result<usize, ()>>; 2];
    let mut places: FxHashMap<u64, Places> = FxHashMap::default();
    for (side, sequence) in [a, b].into_iter().enumerate() {
        cancel::spend(sequence.len());
        for (place, word) in sequence.windows(length).enumerate() {
            let mut hasher = FxHasher::default();
            word.hash(&mut hasher);
            let known = &mut places.entry(hasher.finish()).or_default()[side];
            *known = Some(if known.is_none() { Ok(place) } else { Err(()) });
        }
    }
    let of = |known: &Places| match known {
        [Some(Ok(one)), Some(Ok(other))] if a[*one] == b[*other] => Some((*one, *other)),
        _ => None,
    };
    let mut both: Vec<(usize, usize)> = places.values().filter_map(of).collect();
    both.sort_unstable();
    let kept = longest_rising(&both);
    (!kept.is_empty()).then_some(kept)
}

/// Returns the longest rising subsequence of pairs, by their second element, given in the order of their first.
pub(super) fn longest_rising<T: Copy + Ord>(pairs: &[(T, T)]) -> Vec<(T, T)> {
    // For each length, the pair with the least end; for each pair, the previous one.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *second);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut kept: Vec<(T, T)> = std::iter::successors(ends.last().copied(), |number| before[*number])
        .map(|number| pairs[number])
        .collect();
    kept.reverse();
    kept
}

/// Aligns within a band around the diagonal from start to end, along the longer side.
fn banded(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    if a.len() >= b.len() {
        return table(a, b, BAND_CELLS / a.len(), &|_, _| 1);
    }
    table(b, a, BAND_CELLS / b.len(), &|_, _| 1).into_iter().map(|(other, one)| (one, other)).collect()
}

/// Predecessor of a cell on the best path.
const PAIR: u8 = 1;
const SKIPS_A: u8 = 2;
const SKIPS_B: u8 = 3;

/// Fills the table of all pairs of prefixes, or of those within a band, and follows the best path back.
fn table(a: &[u32], b: &[u32], width: usize, weight: Weight<'_>) -> Vec<(usize, usize)> {
    let (n, m) = (a.len(), b.len());
    let width = width.clamp(64, m.max(64)).min(m);
    // Cells of a row: lengths of prefixes of `b`, from the row's first on.
    let row_of = |row: usize| -> Range<usize> {
        let middle = (row as u64 * m as u64 / n.max(1) as u64) as usize;
        let first = middle.saturating_sub(width / 2).min(m - width);
        first..first + width + 1
    };
    let mut ways = vec![0_u8; (n + 1) * (width + 1)];
    let mut above: Vec<u32> = vec![0; width + 1];
    let mut above_cells = row_of(0);
    for way in &mut ways[1..=width] {
        *way = SKIPS_B;
    }
    for row in 1..=n {
        cancel::spend(width);
        let cells = row_of(row);
        let mut lengths = vec![0_u32; width + 1];
        let own = row * (width + 1);
        for cell in cells.clone() {
            let from_above =
                |cell: usize| above_cells.contains(&cell).then(|| above[cell - above_cells.start]);
            let place = cell - cells.start;
            let (mut best, mut way) = match from_above(cell) {
                Some(length) => (Some(length), SKIPS_A),
                None => (None, 0),
            };
            if place > 0 && best.is_none_or(|best| lengths[place - 1] > best) {
                (best, way) = (Some(lengths[place - 1]), SKIPS_B);
            }
            if cell > 0
                && a[row - 1] == b[cell - 1]
                && let Some(length) = from_above(cell - 1)
                && let pair = weight(row - 1, cell - 1)
                && best.is_none_or(|best| length + pair > best)
            {
                (best, way) = (Some(length + pair), PAIR);
            }
            lengths[place] = best.unwrap_or_default();
            ways[own + place] = way;
        }
        (above, above_cells) = (lengths, cells);
    }
    let (mut row, mut cell) = (n, m);
    let mut pairs = Vec::new();
    while row > 0 && cell > 0 {
        let cells = row_of(row);
        let way = if cells.contains(&cell) { ways[row * (width + 1) + cell - cells.start] } else { 0 };
        match way {
            PAIR => {
                (row, cell) = (row - 1, cell - 1);
                pairs.push((row, cell));
            }
            SKIPS_A => row -= 1,
            SKIPS_B => cell -= 1,
            _ => break,
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the maximum number of pairs, by brute force.
    fn most(a: &[u32], b: &[u32]) -> usize {
        match (a, b) {
            ([first, rest_a @ ..], [other, rest_b @ ..]) => {
                let skipped = most(rest_a, b).max(most(a, rest_b));
                if first == other { skipped.max(1 + most(rest_a, rest_b)) } else { skipped }
            }
            _ => 0,
        }
    }

    fn check(a: &[u32], b: &[u32], pairs: &[(u32, u32)]) {
        assert!(pairs.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1), "{pairs:?}");
        assert!(pairs.iter().all(|(one, other)| a[*one as usize] == b[*other as usize]), "{pairs:?}");
    }

    proptest! {
        #[test]
        fn no_choice_has_more_pairs(
            a in prop::collection::vec(0..4_u32, 0..9),
            b in prop::collection::vec(0..4_u32, 0..9),
        ) {
            let pairs = align(&a, &b);
            check(&a, &b, &pairs);
            prop_assert_eq!(pairs.len(), most(&a, &b));
        }

        #[test]
        fn what_is_cut_stays_in_order(
            a in prop::collection::vec(0..9_u32, 0..80),
            b in prop::collection::vec(0..9_u32, 0..80),
        ) {
            let pairs = within(&a, &b, None, 16);
            check(&a, &b, &pairs);
            prop_assert!(pairs.len() <= align(&a, &b).len());
        }

        #[test]
        fn edits_of_a_long_sequence_cost_what_they_are(
            edits in prop::collection::vec((0..3_u8, 0..20_000_usize, 0..50_u32), 0..20),
        ) {
            let mixed = |place: u32| (place.wrapping_mul(2_654_435_761) ^ (place >> 3)).wrapping_mul(0x85eb_ca6b);
            let a: Vec<u32> = (0..20_000).map(|place| mixed(place) >> 20).collect();
            let mut b = a.clone();
            for (kind, place, symbol) in &edits {
                match kind {
                    0 => b.insert(*place % b.len(), 5_000 + symbol),
                    1 => drop(b.remove(*place % b.len())),
                    _ => {
                        let at = *place % b.len();
                        b[at] = 5_000 + symbol;
                    }
                }
            }
            let pairs = align(&a, &b);
            check(&a, &b, &pairs);
            prop_assert!(pairs.len() + 20 * edits.len() >= a.len(), "{} pairs, {} edits", pairs.len(), edits.len());
        }
    }

    #[test]
    fn very_different_lengths_and_nothing_in_common_end() {
        assert_eq!(align(&[], &[1, 2]), []);
        let long: Vec<u32> = (0..300_000).map(|place| place % 3).collect();
        assert_eq!(align(&long, &[7, 1, 8]).len(), 1);
        let other: Vec<u32> = (0..200_000).map(|place| 10 + place % 5).collect();
        assert_eq!(align(&long, &other), []);
        let shifted: Vec<u32> = (0..300_001).map(|place| (place + 1) % 3).collect();
        assert!(align(&long, &shifted).len() > 299_000);
    }
}
