//! Two folded sequences side by side: loops first, then their rounds, then what is in these.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};

use super::align::align;
use crate::graph::Part;

/// Loops whose rounds have at least this part of their elements in common are the same loop, changed.
const ALIKE: f64 = 0.5;
/// Choices between changed rounds of one gap; beyond, none is a changed one of another.
const MOST_CHOICES: usize = 1 << 14;

/// A loop that is in both sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PairedLoop {
    /// Its rounds on either side.
    pub(super) rounds: (u32, u32),
    /// Place of its first element on either side.
    pub(super) first: (u32, u32),
}

/// What two folded sequences have in common.
#[derive(Debug, Default)]
pub(super) struct Paired {
    /// Places of equal elements, in no order.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Loops on either side with a different number of rounds, or with different contents.
    pub(super) loops: Vec<PairedLoop>,
}

/// Pairs the elements of two sequences by the loops that they are in; parts name places of the sequences.
pub(super) fn pair(a: (&[u32], &[Part]), b: (&[u32], &[Part])) -> Paired {
    let mut pairing = Pairing { a: a.0, b: b.0, numbers: FxHashMap::default(), paired: Paired::default() };
    pairing.parts(a.1, b.1);
    pairing.paired
}

struct Pairing<'s> {
    a: &'s [u32],
    b: &'s [u32],
    /// Numbers of what parts stand for.
    numbers: FxHashMap<u64, u32>,
    paired: Paired,
}

impl Pairing<'_> {
    /// Pairs what two lists of parts have in common, in order.
    fn parts(&mut self, a: &[Part], b: &[Part]) {
        let of_a = self.symbols(a, self.a);
        let of_b = self.symbols(b, self.b);
        let (mut next_a, mut next_b) = (0, 0);
        let end = (a.len() as u32, b.len() as u32);
        for (one, other) in align(&of_a, &of_b).into_iter().chain([end]) {
            let (one, other) = (one as usize, other as usize);
            self.changed(&a[next_a..one], &b[next_b..other]);
            if let (Some(part), Some(twin)) = (a.get(one), b.get(other)) {
                self.part(part, twin);
            }
            (next_a, next_b) = (one + 1, other + 1);
        }
    }

    /// Pairs two parts that stand for the same.
    fn part(&mut self, a: &Part, b: &Part) {
        match (a, b) {
            (Part::One(one), Part::One(other)) => self.paired.pairs.push((*one, *other)),
            _ => self.rounds(a, b, false),
        }
    }

    /// Pairs the rounds of two loops, of which one may be there once only, and what is in them.
    fn rounds(&mut self, a: &Part, b: &Part, is_changed: bool) {
        let length = length(a).max(length(b));
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

    /// Which rounds are the same: by their number where there are equally many, else by what is in them, and in order
    /// where that says nothing.
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

    /// Pairs what lies between the same neighbours and stands for something else.
    fn changed(&mut self, a: &[Part], b: &[Part]) {
        let is_loop = |part: &Part| matches!(part, Part::Rounds(_));
        let loops = |parts: &[Part]| parts.iter().filter(|part| is_loop(part)).count();
        match (loops(a), loops(b)) {
            _ if a.is_empty() || b.is_empty() => {}
            (0, 0) => {}
            (0, _) | (_, 0) => self.single_round(a, b),
            (1, 1) => {
                let own = a.iter().find(|part| is_loop(part)).zip(b.iter().find(|part| is_loop(part)));
                if let Some((one, other)) = own {
                    let words = (self.word(one, self.a), self.word(other, self.b));
                    if likeness(&words.0, &words.1) >= ALIKE {
                        self.rounds(one, other, true);
                    }
                }
            }
            _ => self.cut_loops(a, b),
        }
    }

    /// Pairs rounds of loops that were cut at other places, since a round here and there is another one: all rounds of
    /// both sides in their order, and then what lies between those that are alike.
    fn cut_loops(&mut self, a: &[Part], b: &[Part]) {
        let (units_a, units_b) = (units(a), units(b));
        let words_a = self.unit_words(&units_a, self.a);
        let words_b = self.unit_words(&units_b, self.b);
        let twins = self.twins((&units_a, &words_a), (&units_b, &words_b));
        let words_b: Vec<u32> =
            words_b.iter().map(|word| twins.get(word).copied().unwrap_or(*word)).collect();
        let (mut next_a, mut next_b) = (0, 0);
        let end = (units_a.len() as u32, units_b.len() as u32);
        for (one, other) in align(&words_a, &words_b).into_iter().chain([end]) {
            let (one, other) = (one as usize, other as usize);
            self.leaves(&units_a[next_a..one], &units_b[next_b..other]);
            if let (Some(unit), Some(twin)) = (units_a.get(one), units_b.get(other)) {
                self.parts(unit, twin);
            }
            (next_a, next_b) = (one + 1, other + 1);
        }
    }

    /// The numbers of what units stand for.
    fn unit_words(&mut self, units: &[&[Part]], sequence: &[u32]) -> Vec<u32> {
        let word = |unit: &&[Part]| {
            let mut hasher = FxHasher::default();
            unit.iter().for_each(|part| word_hash(part, sequence).hash(&mut hasher));
            hasher.finish()
        };
        units.iter().map(word).map(|hash| self.number(hash)).collect()
    }

    /// For words of the second side that the first does not have, the one of its words that is most alike.
    fn twins(&mut self, a: (&[&[Part]], &[u32]), b: (&[&[Part]], &[u32])) -> FxHashMap<u32, u32> {
        let distinct = |words: &[u32]| -> Vec<(u32, usize)> {
            let mut first: Vec<(u32, usize)> = words.iter().copied().zip(0..).collect();
            first.sort_unstable();
            first.dedup_by_key(|(word, _)| *word);
            first
        };
        let (own, others) = (distinct(a.1), distinct(b.1));
        let mut twins = FxHashMap::default();
        if own.len() * others.len() > MOST_CHOICES {
            return twins;
        }
        let (sequence_a, sequence_b) = (self.a, self.b);
        let mut sorted = |unit: &[Part], sequence| {
            let mut symbols = self.symbols(unit, sequence);
            symbols.sort_unstable();
            symbols
        };
        let own: Vec<(u32, Vec<u32>)> =
            own.into_iter().map(|(word, place)| (word, sorted(a.0[place], sequence_a))).collect();
        for (word, place) in others.into_iter().filter(|(word, _)| own.iter().all(|(known, _)| known != word))
        {
            let symbols = sorted(b.0[place], sequence_b);
            let scored = own.iter().map(|(known, other)| (likeness(other, &symbols), *known));
            let best = scored.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
            if let Some((_, known)) = best.filter(|(score, _)| *score >= ALIKE) {
                twins.insert(word, known);
            }
        }
        twins
    }

    /// Pairs the elements of what is left, one by one.
    fn leaves(&mut self, a: &[&[Part]], b: &[&[Part]]) {
        if a.is_empty() || b.is_empty() {
            return;
        }
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        a.iter().copied().flatten().for_each(|part| leaves(part, &mut of_a));
        b.iter().copied().flatten().for_each(|part| leaves(part, &mut of_b));
        let symbols = |places: &[u32], sequence: &[u32]| -> Vec<u32> {
            places.iter().filter_map(|place| sequence.get(*place as usize).copied()).collect()
        };
        let pairs = align(&symbols(&of_a, self.a), &symbols(&of_b, self.b));
        let places = pairs.into_iter().map(|(one, other)| (of_a[one as usize], of_b[other as usize]));
        self.paired.pairs.extend(places);
    }

    /// Pairs what is there once on one side with a loop of the other that does much the same.
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

    /// The numbers of parts that stand for the same are the same, whichever sequence they are of.
    fn symbols(&mut self, parts: &[Part], sequence: &[u32]) -> Vec<u32> {
        parts.iter().map(|part| self.number(word_hash(part, sequence))).collect()
    }

    /// The numbers of what a round of a loop consists of, sorted.
    fn word(&mut self, part: &Part, sequence: &[u32]) -> Vec<u32> {
        let mut rounds = Vec::new();
        unroll(part, length(part), &mut rounds);
        let mut word = rounds.first().map_or_else(Vec::new, |round| self.symbols(round, sequence));
        word.sort_unstable();
        word
    }

    /// The number of a round with everything that is in it.
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

/// The hash of what a part stands for, however often it is repeated.
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

/// Hashes all that is in a part, with the numbers of rounds.
fn shape_hash(part: &Part, sequence: &[u32], hasher: &mut FxHasher) {
    match part {
        Part::One(place) => sequence.get(*place as usize).hash(hasher),
        Part::Rounds(rounds) => {
            rounds.len().hash(hasher);
            rounds.iter().flatten().for_each(|part| shape_hash(part, sequence, hasher));
        }
    }
}

/// How many parts a round has, seen through loops of one part.
fn length(part: &Part) -> usize {
    match part {
        Part::One(_) => 1,
        Part::Rounds(rounds) => match rounds.first().map(Vec::as_slice) {
            Some([only]) => length(only),
            round => round.map_or(1, <[Part]>::len),
        },
    }
}

/// The rounds of a part as lists of a length. A part that does not repeat is a round of its own.
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

/// The rounds of all loops among some parts, and what is no loop, in their order.
fn units(parts: &[Part]) -> Vec<&[Part]> {
    let mut units = Vec::new();
    parts.iter().for_each(|part| unroll(part, length(part), &mut units));
    units
}

/// The places of all elements of a part.
fn leaves(part: &Part, places: &mut Vec<u32>) {
    match part {
        Part::One(place) => places.push(*place),
        Part::Rounds(rounds) => rounds.iter().flatten().for_each(|part| leaves(part, places)),
    }
}

/// The place of the first element of a part.
fn first(part: &Part) -> u32 {
    match part {
        Part::One(place) => *place,
        Part::Rounds(rounds) => rounds.first().and_then(|round| round.first()).map_or(0, first),
    }
}

/// What part of the elements of two sorted lists both have (Dice).
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
        let mut paired = pair((a, &Repeats::parts(a)), (b, &Repeats::parts(b)));
        paired.pairs.sort_unstable();
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
