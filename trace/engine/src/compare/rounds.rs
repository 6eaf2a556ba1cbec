//! Alignment of two folded sequences: loops first, then their iterations, then the contents of the iterations.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};

use super::align::{EXACT_CELLS, align, align_weighted};
use crate::cancel;
use crate::graph::Part;

/// Minimum share of common elements in the iterations of two loops that count as one changed loop.
const ALIKE: f64 = 0.5;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PairedLoop {
    pub(super) rounds: (u32, u32),
    /// Position of its first element on either side.
    pub(super) first: (u32, u32),
}

#[derive(Debug, Default)]
pub(super) struct Paired {
    /// Positions of equal elements, in order.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Loops on either side with a different number of iterations, or with different contents.
    pub(super) loops: Vec<PairedLoop>,
}

/// Pairs the elements of two sequences by the loops that contain them; parts refer to positions of the sequences.
pub(super) fn pair(a: (&[u32], &[Part]), b: (&[u32], &[Part])) -> Paired {
    let mut pairing = Pairing { a: a.0, b: b.0, numbers: FxHashMap::default(), paired: Paired::default() };
    pairing.parts(a.1, b.1);
    let mut paired = pairing.paired;
    paired.pairs.sort_unstable();
    fill(&mut paired.pairs, a.0, b.0);
    if a.0.len().saturating_mul(b.0.len()) <= EXACT_CELLS {
        let plain = align(a.0, b.0);
        if plain.len() > 2 * paired.pairs.len() {
            // The sides have different loops: common elements cross their borders.
            return Paired { pairs: plain, loops: Vec::new() };
        }
    }
    paired
}

/// Pairs the remaining elements between pairs, one by one.
fn fill(pairs: &mut Vec<(u32, u32)>, a: &[u32], b: &[u32]) {
    let (mut next_a, mut next_b) = (0, 0);
    let mut found = Vec::new();
    for (one, other) in pairs.iter().copied().chain([(a.len() as u32, b.len() as u32)]) {
        if next_a < one && next_b < other {
            let gap = (&a[next_a as usize..one as usize], &b[next_b as usize..other as usize]);
            let within = align(gap.0, gap.1).into_iter();
            found.extend(within.map(|(one, other)| (next_a + one, next_b + other)));
        }
        (next_a, next_b) = (one + 1, other + 1);
    }
    if !found.is_empty() {
        pairs.extend(found);
        pairs.sort_unstable();
    }
}

struct Pairing<'s> {
    a: &'s [u32],
    b: &'s [u32],
    numbers: FxHashMap<u64, u32>,
    paired: Paired,
}

impl Pairing<'_> {
    /// Pairs the common parts of two lists, in order.
    fn parts(&mut self, a: &[Part], b: &[Part]) {
        cancel::spend(a.iter().chain(b).map(|part| size(part) as usize).sum());
        let of_a = self.symbols(a, self.a);
        let of_b = self.symbols(b, self.b);
        let (mut next_a, mut next_b) = (0, 0);
        let end = (a.len() as u32, b.len() as u32);
        // A loop weighs as many elements as both can have in common.
        let [sizes_a, sizes_b] = [a, b].map(|parts| parts.iter().map(size).collect::<Vec<u32>>());
        for (one, other) in align_weighted(&of_a, &of_b, [&sizes_a, &sizes_b]).into_iter().chain([end]) {
            let (one, other) = (one as usize, other as usize);
            self.changed(&a[next_a..one], &b[next_b..other]);
            if let (Some(part), Some(twin)) = (a.get(one), b.get(other)) {
                self.part(part, twin);
            }
            (next_a, next_b) = (one + 1, other + 1);
        }
    }

    /// Pairs two parts with the same symbol.
    fn part(&mut self, a: &Part, b: &Part) {
        match (a, b) {
            (Part::One(one), Part::One(other)) => self.paired.pairs.push((*one, *other)),
            _ => self.rounds(a, b, false),
        }
    }

    /// Pairs the iterations of two loops, one of which may be a single iteration, and their contents.
    fn rounds(&mut self, a: &Part, b: &Part, is_changed: bool) {
        let length = length(a).max(length(b));
        cancel::spend((size(a) + size(b)) as usize);
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        unroll(a, length, &mut of_a);
        unroll(b, length, &mut of_b);
        if is_changed || of_a.len() != of_b.len() {
            let rounds = (of_a.len() as u32, of_b.len() as u32);
            self.paired.loops.push(PairedLoop { rounds, first: (first(a), first(b)) });
        }
        for (one, other) in self.round_pairs(&of_a, &of_b) {
            let (one, other) = (of_a[one as usize], of_b[other as usize]);
            if is_changed || one.len() != other.len() {
                self.parts(one, other);
            } else {
                one.iter().zip(other).for_each(|(part, twin)| self.part(part, twin));
            }
        }
    }

    /// Returns the matched iterations: by their number if there are equally many, else by their contents, and by order
    /// among equal contents.
    fn round_pairs(&mut self, a: &[&[Part]], b: &[&[Part]]) -> Vec<(u32, u32)> {
        if a.len() == b.len() {
            return (0..a.len() as u32).map(|round| (round, round)).collect();
        }
        let shapes_a: Vec<u32> = a.iter().map(|round| self.shape(round, self.a)).collect();
        let shapes_b: Vec<u32> = b.iter().map(|round| self.shape(round, self.b)).collect();
        let mut pairs = Vec::new();
        let (mut next_a, mut next_b) = (0, 0);
        let end = (a.len() as u32, b.len() as u32);
        for (one, other) in align(&shapes_a, &shapes_b).into_iter().chain([end]) {
            pairs.extend((next_a..one).zip(next_b..other));
            if (one, other) != end {
                pairs.push((one, other));
            }
            (next_a, next_b) = (one + 1, other + 1);
        }
        pairs
    }

    /// Pairs parts between the same neighbours that have different symbols.
    fn changed(&mut self, a: &[Part], b: &[Part]) {
        if a.is_empty() || b.is_empty() {
            return;
        }
        let loops = |parts: &[Part]| parts.iter().filter(|part| matches!(part, Part::Rounds(_))).count();
        match (loops(a), loops(b)) {
            (0, 0) => {}
            (0, _) | (_, 0) => self.single_round(a, b),
            (one, other) if one == other && self.are_alike(a, b) => {
                let is_loop = |part: &&Part| matches!(part, Part::Rounds(_));
                a.iter().filter(is_loop).zip(b.iter().filter(is_loop)).for_each(|(part, twin)| {
                    self.rounds(part, twin, true);
                });
            }
            _ => self.leaves(a, b),
        }
    }

    fn are_alike(&mut self, a: &[Part], b: &[Part]) -> bool {
        let is_loop = |part: &&Part| matches!(part, Part::Rounds(_));
        a.iter().filter(is_loop).zip(b.iter().filter(is_loop)).all(|(one, other)| {
            let words = (self.word(one, self.a), self.word(other, self.b));
            likeness(&words.0, &words.1) >= ALIKE
        })
    }

    /// Pairs single elements: for iterations with one element more or less, loops that are split at another position,
    /// and iterations of one side that start within one of the other.
    fn leaves(&mut self, a: &[Part], b: &[Part]) {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        a.iter().for_each(|part| leaves(part, &mut of_a));
        b.iter().for_each(|part| leaves(part, &mut of_b));
        let symbols = |places: &[u32], sequence: &[u32]| -> Vec<u32> {
            places.iter().filter_map(|place| sequence.get(*place as usize).copied()).collect()
        };
        cancel::spend(of_a.len() + of_b.len());
        let pairs = align(&symbols(&of_a, self.a), &symbols(&of_b, self.b));
        let places = pairs.into_iter().map(|(one, other)| (of_a[one as usize], of_b[other as usize]));
        self.paired.pairs.extend(places);
    }

    /// Pairs a single iteration of one side with a similar loop of the other.
    fn single_round(&mut self, a: &[Part], b: &[Part]) {
        let is_a_single = !a.iter().any(|part| matches!(part, Part::Rounds(_)));
        let (single, several) = if is_a_single { (a, b) } else { (b, a) };
        let (own, others) = if is_a_single { (self.a, self.b) } else { (self.b, self.a) };
        let mut words = self.symbols(single, own);
        words.sort_unstable();
        let loops = several.iter().filter(|part| matches!(part, Part::Rounds(_)));
        let found = loops.into_iter().find(|part| likeness(&words, &self.word(part, others)) >= ALIKE);
        let (Some(found), Some(begin)) = (found, single.first()) else { return };
        let mut rounds = Vec::new();
        unroll(found, length(found), &mut rounds);
        let Some(round) = rounds.first() else { return };
        let count = rounds.len() as u32;
        let (rounds, firsts) = ((1, count), (first(begin), first(found)));
        if is_a_single {
            self.paired.loops.push(PairedLoop { rounds, first: firsts });
            self.parts(single, round);
        } else {
            let (rounds, first) = ((count, 1), (firsts.1, firsts.0));
            self.paired.loops.push(PairedLoop { rounds, first });
            self.parts(round, single);
        }
    }

    /// Returns the symbols of parts: equal for equal contents, in either sequence.
    fn symbols(&mut self, parts: &[Part], sequence: &[u32]) -> Vec<u32> {
        parts.iter().map(|part| self.number(word_hash(part, sequence))).collect()
    }

    /// Returns the sorted symbols of an iteration's parts.
    fn word(&mut self, part: &Part, sequence: &[u32]) -> Vec<u32> {
        cancel::spend(size(part) as usize);
        let mut rounds = Vec::new();
        unroll(part, length(part), &mut rounds);
        let mut word = rounds.first().map_or_else(Vec::new, |round| self.symbols(round, sequence));
        word.sort_unstable();
        word
    }

    /// Returns the symbol of an iteration with all its contents.
    fn shape(&mut self, round: &[Part], sequence: &[u32]) -> u32 {
        let mut hasher = FxHasher::default();
        round.iter().for_each(|part| shape_hash(part, sequence, &mut hasher));
        self.number(hasher.finish())
    }

    fn number(&mut self, hash: u64) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(hash).or_insert(next)
    }
}

/// Returns the hash of a part's contents, regardless of its number of repeats.
fn word_hash(part: &Part, sequence: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    match part {
        Part::One(place) => sequence.get(*place as usize).hash(&mut hasher),
        Part::Rounds(rounds) => match rounds.first().map(Vec::as_slice) {
            Some([only]) => return word_hash(only, sequence),
            round => {
                let round = round.unwrap_or_default();
                round.len().hash(&mut hasher);
                round.iter().for_each(|part| word_hash(part, sequence).hash(&mut hasher));
            }
        },
    }
    hasher.finish()
}

fn shape_hash(part: &Part, sequence: &[u32], hasher: &mut FxHasher) {
    match part {
        Part::One(place) => sequence.get(*place as usize).hash(hasher),
        Part::Rounds(rounds) => {
            rounds.len().hash(hasher);
            rounds.iter().flatten().for_each(|part| shape_hash(part, sequence, hasher));
        }
    }
}

/// Returns the number of parts of an iteration; a part that is itself a loop with a single part counts as that part.
fn length(part: &Part) -> usize {
    match part {
        Part::One(_) => 1,
        Part::Rounds(rounds) => match rounds.first().map(Vec::as_slice) {
            Some([only]) => length(only),
            round => round.map_or(1, <[Part]>::len),
        },
    }
}

/// Adds the iterations of a part as lists of a given length. A part that does not repeat is one iteration.
fn unroll<'p>(part: &'p Part, length: usize, rounds: &mut Vec<&'p [Part]>) {
    match part {
        Part::One(_) => rounds.push(std::slice::from_ref(part)),
        Part::Rounds(own) => {
            for round in own {
                match round.as_slice() {
                    [only] if length > 1 => unroll(only, length, rounds),
                    round => rounds.push(round),
                }
            }
        }
    }
}

fn leaves(part: &Part, places: &mut Vec<u32>) {
    match part {
        Part::One(place) => places.push(*place),
        Part::Rounds(rounds) => rounds.iter().flatten().for_each(|part| leaves(part, places)),
    }
}

fn size(part: &Part) -> u32 {
    match part {
        Part::One(_) => 1,
        Part::Rounds(rounds) => rounds.iter().flatten().map(size).sum(),
    }
}

fn first(part: &Part) -> u32 {
    match part {
        Part::One(place) => *place,
        Part::Rounds(rounds) => rounds.first().and_then(|round| round.first()).map_or(0, first),
    }
}

/// Returns the share of common elements of two sorted lists (Dice coefficient).
fn likeness(a: &[u32], b: &[u32]) -> f64 {
    let (mut one, mut other, mut both) = (0, 0, 0);
    while let (Some(left), Some(right)) = (a.get(one), b.get(other)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => one += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => (one, other, both) = (one + 1, other + 1, both + 1),
        }
    }
    if a.is_empty() || b.is_empty() { 0.0 } else { 2.0 * f64::from(both) / (a.len() + b.len()) as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Repeats;

    fn paired(a: &[u32], b: &[u32]) -> Paired {
        let paired = pair((a, &Repeats::parts(a)), (b, &Repeats::parts(b)));
        assert!(
            paired.pairs.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1),
            "{:?}",
            paired.pairs
        );
        paired
    }

    fn loops(head: &[u32], word: &[u32], times: usize, tail: &[u32]) -> Vec<u32> {
        [head, &word.repeat(times), tail].concat()
    }

    #[test]
    fn an_inserted_round_is_a_whole_round() {
        let (a, b) = (loops(&[9], &[1, 2, 3], 10, &[8]), loops(&[9], &[1, 2, 3], 11, &[8]));
        let paired = paired(&a, &b);
        assert_eq!(paired.pairs.len(), a.len());
        assert_eq!(paired.loops, [PairedLoop { rounds: (10, 11), first: (1, 1) }]);
        let known: Vec<u32> = paired.pairs.iter().map(|pair| pair.1).collect();
        let alone: Vec<u32> = (0..b.len() as u32).filter(|place| !known.contains(place)).collect();
        assert_eq!(alone, [31, 32, 33], "the last round, from its begin to its end");
    }

    #[test]
    fn a_loop_goes_before_a_single_command_that_moved() {
        let (a, b) = (loops(&[9], &[1], 5, &[]), loops(&[], &[1], 4, &[9]));
        assert_eq!(paired(&a, &b).pairs, [(1, 0), (2, 1), (3, 2), (4, 3)]);
    }

    #[test]
    fn a_loop_goes_before_a_single_run_of_its_command() {
        let a = loops(&[9], &[1], 20, &[8]);
        for b in [loops(&[9, 1, 7], &[1], 20, &[8]), loops(&[9], &[1], 20, &[7, 1, 8])] {
            let paired = paired(&a, &b);
            assert_eq!((paired.pairs.len(), paired.loops), (22, vec![]), "{b:?}");
        }
    }

    #[test]
    fn a_loop_with_one_command_more_stays_the_same_loop() {
        let (a, b) = (loops(&[], &[1, 2, 3, 4], 50, &[7]), loops(&[], &[1, 2, 5, 3, 4], 50, &[7]));
        let paired = paired(&a, &b);
        assert_eq!(paired.pairs.len(), a.len());
        assert_eq!(paired.pairs[4 * 7 + 2], (4 * 7 + 2, 5 * 7 + 3), "round by round");
    }

    #[test]
    fn a_round_that_lacks_a_command_does_not_move_the_others() {
        let a = loops(&[], &[1, 2, 3], 40, &[]);
        let mut b = loops(&[], &[4, 2, 3], 40, &[]);
        b.remove(3 * 17);
        let found = paired(&a, &b);
        assert_eq!(found.pairs.len(), 80);
        assert!(
            found.pairs.contains(&(3 * 16 + 1, 3 * 16 + 1)) && found.pairs.contains(&(3 * 30 + 1, 3 * 30))
        );
    }

    #[test]
    fn edits_all_over_a_loop_cost_what_they_are() {
        let word: Vec<u32> = (0..20).collect();
        let a = word.repeat(2_000);
        let renamed = |symbol: &u32| if *symbol == 7 { 77 } else { *symbol };
        let mut b: Vec<u32> = a.iter().map(renamed).collect();
        // An element left out or added now and then, at positions unrelated to the loop.
        for place in (0..39).map(|number| 1_013 * number) {
            b.remove(place);
            b.insert(place + 500, 99);
        }
        assert!(paired(&a, &b).pairs.len() >= 38_000 - 2 * 39);
    }

    #[test]
    fn what_is_once_is_a_loop_of_one_round() {
        let (a, b) = (loops(&[9], &[1, 2], 1, &[8]), loops(&[9], &[1, 2], 6, &[8]));
        assert_eq!(paired(&a, &b).pairs, [(0, 0), (1, 1), (2, 2), (3, 13)]);
        let (inner, once) = (loops(&[9], &[5], 7, &[8]), [9, 5, 8]);
        assert_eq!(paired(&inner, &once).pairs, [(0, 0), (1, 1), (8, 2)]);
    }

    proptest! {
        #[test]
        fn pairs_are_equal_and_each_place_is_in_one(
            a in prop::collection::vec(0..4_u32, 0..60),
            b in prop::collection::vec(0..4_u32, 0..60),
        ) {
            let paired = paired(&a, &b);
            prop_assert!(paired.pairs.iter().all(|(one, other)| a[*one as usize] == b[*other as usize]));
            for side in [|pair: &(u32, u32)| pair.0, |pair: &(u32, u32)| pair.1] {
                let mut places: Vec<u32> = paired.pairs.iter().map(side).collect();
                places.sort_unstable();
                let count = places.len();
                places.dedup();
                prop_assert_eq!(places.len(), count);
            }
        }

        #[test]
        fn a_sequence_is_its_own_twin(a in prop::collection::vec(0..4_u32, 0..80)) {
            prop_assert_eq!(paired(&a, &a).pairs.len(), a.len());
        }
    }
}
