//! Repeats in a sequence: `a b c b c b c d` is `a (b c)×3 d`.
//!
//! Tandem repeats are folded from the shortest to the longest, so that inner loops are folded before those around them;
//! a folded repeat counts as one element from then on. Candidates are each element's distances to its last two equals.
//! Each candidate is extended as far as it matches (as in Main and Lorentz, 1984), so that a repeat is found if some
//! element is in a round at most twice. A repeated element equals a single one, so that rounds are equal whatever the
//! number of times (even one) that an inner loop runs in them. In a run with an incomplete last round, the first
//! complete rounds are folded. The cost is linear in the length, up to [`WORK`] steps for each element.

use rustc_hash::FxHashMap;

/// Number of passes over a sequence; each may fold one more level of loops.
const ROUNDS: usize = 32;
/// Maximum steps of extending candidates per element; beyond, candidates of later elements are ignored.
const WORK: usize = 256;

/// A sequence with its repeats folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// For each element of the sequence, its slot. Slots are numbered from 0 in order.
    pub slots: Vec<u32>,
    /// For each slot, the innermost loop that contains it.
    pub loops_of_slots: Vec<Option<u32>>,
    /// The loops, outer before inner ones.
    pub loops: Vec<Loop>,
}

/// A repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The loop around it.
    pub parent: Option<u32>,
    /// Number of iterations, in all iterations of the outer loops together.
    pub times: u64,
}

impl Repeats {
    /// Folds a sequence; equal numbers are equal elements.
    pub fn new(sequence: &[u32]) -> Self {
        let folding = Folding::folded(sequence);
        let mut repeats = Self { slots: vec![0; sequence.len()], ..Self::default() };
        for (_, tree) in &folding.elements {
            folding.assign(&[*tree], None, &mut repeats);
        }
        repeats
    }

    /// Folds a sequence and returns its parts round by round.
    pub fn parts(sequence: &[u32]) -> Vec<Part> {
        let folding = Folding::folded(sequence);
        folding.elements.iter().map(|(_, tree)| folding.part(*tree)).collect()
    }
}

/// A part of a sequence whose repeats are folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The element at a position.
    One(u32),
    /// Rounds of a loop, at least two. All have equal parts, if inner loops count once.
    Rounds(Vec<Vec<Part>>),
}

/// An element of the sequence, or a folded repeat.
enum Tree {
    Leaf(u32),
    /// The trees of each round.
    Repeat(Vec<Vec<u32>>),
}

struct Folding {
    /// Symbol and tree.
    elements: Vec<(u32, u32)>,
    trees: Vec<Tree>,
    words: FxHashMap<Vec<u32>, u32>,
    next_symbol: u32,
}

/// A part of the sequence that repeats with a period.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    period: usize,
    start: usize,
    end: usize,
}

impl Folding {
    fn new(sequence: &[u32]) -> Self {
        Self {
            elements: (0..).zip(sequence).map(|(at, symbol)| (*symbol, at)).collect(),
            trees: (0..sequence.len() as u32).map(Tree::Leaf).collect(),
            words: FxHashMap::default(),
            next_symbol: sequence.iter().max().map_or(0, |last| last + 1),
        }
    }

    fn folded(sequence: &[u32]) -> Self {
        let mut folding = Self::new(sequence);
        for _ in 0..ROUNDS {
            if !folding.round() {
                break;
            }
        }
        folding
    }

    /// Returns the part for a tree. The depth of recursion is bounded by [`ROUNDS`].
    fn part(&self, tree: u32) -> Part {
        match &self.trees[tree as usize] {
            Tree::Leaf(at) => Part::One(*at),
            Tree::Repeat(rounds) => {
                let round = |round: &Vec<u32>| round.iter().map(|tree| self.part(*tree)).collect();
                Part::Rounds(rounds.iter().map(round).collect())
            }
        }
    }

    /// Folds the shortest repeats; true if there were any.
    fn round(&mut self) -> bool {
        let mut runs = self.runs();
        runs.sort_unstable();
        // Disjoint runs, the shorter periods first.
        let mut is_taken = vec![false; self.elements.len()];
        runs.retain(|run| {
            let is_free = !is_taken[run.start..run.end].contains(&true);
            if is_free {
                is_taken[run.start..run.end].fill(true);
            }
            is_free
        });
        runs.sort_unstable_by_key(|run| run.start);
        if runs.is_empty() {
            return false;
        }
        let old = std::mem::take(&mut self.elements);
        let mut at = 0;
        for Run { period, start, end } in runs {
            self.elements.extend_from_slice(&old[at..start]);
            let symbol = self.symbol(&old[start..start + period]);
            let rounds =
                old[start..end].chunks(period).map(|round| round.iter().map(|(_, tree)| *tree).collect());
            self.trees.push(Tree::Repeat(rounds.collect()));
            self.elements.push((symbol, self.trees.len() as u32 - 1));
            at = end;
        }
        self.elements.extend_from_slice(&old[at..]);
        true
    }

    /// Returns the parts with at least two complete rounds, cut to complete rounds.
    fn runs(&self) -> Vec<Run> {
        let count = self.elements.len();
        let equal = |a: usize, b: usize| self.elements[a].0 == self.elements[b].0;
        // The last two positions of each symbol, and how far each period has been followed.
        let mut last: FxHashMap<u32, [Option<usize>; 2]> = FxHashMap::default();
        let mut followed: FxHashMap<usize, usize> = FxHashMap::default();
        let mut work = WORK * count;
        let mut runs = Vec::new();
        for at in 0..count {
            let before = last.entry(self.elements[at].0).or_default();
            let equals = *before;
            *before = [Some(at), before[0]];
            for earlier in equals.into_iter().flatten() {
                let period = at - earlier;
                let until = followed.entry(period).or_insert(0);
                if at < *until || work == 0 {
                    continue;
                }
                let back = (1..=earlier).take_while(|step| equal(earlier - step, at - step)).count();
                let ahead = (at..count).take_while(|place| equal(place - period, *place)).count();
                work = work.saturating_sub(back + ahead);
                let (start, end) = (earlier - back, at + ahead);
                *until = end;
                let rounds = (end - start) / period;
                if rounds >= 2 {
                    runs.push(Run { period, start, end: start + rounds * period });
                }
            }
        }
        runs
    }

    /// Returns the symbol of a word; a word of one symbol keeps it.
    fn symbol(&mut self, word: &[(u32, u32)]) -> u32 {
        if let [(symbol, _)] = word {
            return *symbol;
        }
        let word = word.iter().map(|(symbol, _)| *symbol).collect();
        let next = &mut self.next_symbol;
        *self.words.entry(word).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    /// Gives the elements of equal trees their slots.
    fn assign(&self, trees: &[u32], parent: Option<u32>, repeats: &mut Repeats) {
        let is_repeat = |tree: &u32| matches!(self.trees[*tree as usize], Tree::Repeat(_));
        if !trees.iter().any(is_repeat) {
            let slot = repeats.loops_of_slots.len() as u32;
            repeats.loops_of_slots.push(parent);
            for tree in trees {
                if let Tree::Leaf(at) = self.trees[*tree as usize] {
                    repeats.slots[at as usize] = slot;
                }
            }
            return;
        }
        let length = trees.iter().map(|tree| self.length(*tree)).max().unwrap_or(1);
        let mut rounds: Vec<&[u32]> = Vec::new();
        for tree in trees {
            self.unroll(tree, length, &mut rounds);
        }
        let number = repeats.loops.len() as u32;
        repeats.loops.push(Loop { parent, times: rounds.len() as u64 });
        for place in 0..length {
            let equal: Vec<u32> = rounds.iter().filter_map(|round| round.get(place)).copied().collect();
            self.assign(&equal, Some(number), repeats);
        }
    }

    /// Returns the length of the word that a tree repeats, looking through repeats of one element.
    fn length(&self, tree: u32) -> usize {
        match &self.trees[tree as usize] {
            Tree::Leaf(_) => 1,
            Tree::Repeat(rounds) => match rounds.first().map(Vec::as_slice) {
                Some([only]) => self.length(*only),
                first => first.map_or(1, <[u32]>::len),
            },
        }
    }

    /// Adds the rounds of a tree; with a `length` above 1, repeats of one element are looked through. A tree that does
    /// not repeat is one round.
    fn unroll<'s>(&'s self, tree: &'s u32, length: usize, rounds: &mut Vec<&'s [u32]>) {
        match &self.trees[*tree as usize] {
            Tree::Leaf(_) => rounds.push(std::slice::from_ref(tree)),
            Tree::Repeat(own) => {
                for round in own {
                    match round.as_slice() {
                        [only] if length > 1 => self.unroll(only, length, rounds),
                        round => rounds.push(round),
                    }
                }
            }
        }
    }
}
