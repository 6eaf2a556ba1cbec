//! Marks of loops: commands that are submitted repeatedly with the same commands around them, and regions with one
//! name.
//!
//! Loops are searched among the commands of the thread that submits most. A command marks a loop if the commands
//! between two of its submissions have the same names nearly every time; their counts don't matter, so that inner loops
//! may run any number of times. Among the loops that cover nearly all of the time, the outermost one with enough
//! iterations is chosen.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{IterationMark, IterationMarkKind};
use syclscope_language::event::NodeKind;
use syclscope_language::question::IterationsQuestion;

use crate::cancel;
use crate::id::{LocationId, StringId, some};
use crate::query::detail::location;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::strings::without_numbers;
use syclscope_language::sorting::Sorting as _;

/// Minimum number of iterations of a loop; more for one that is chosen automatically.
const MIN_ITERATIONS: usize = 3;
const MIN_AUTOMATIC_ITERATIONS: usize = 5;
/// Maximum number of tried marks: those with the longest time from first to last.
const MAX_CANDIDATES: usize = 64;
/// Minimum number of similar iterations out of ten.
const MIN_SIMILAR_OF_TEN: usize = 8;
/// A loop covers nearly all of the time if it covers nine tenths of the longest one's.
const NEARLY_ALL: (u128, u128) = (9, 10);

pub(super) struct Loop {
    pub(super) kind: IterationMarkKind,
    name: String,
    location: LocationId,
    /// Start and end of its iterations, which don't overlap, by start.
    pub(super) rounds: Vec<(u64, u64)>,
    /// For each iteration, the time at which the host started it.
    pub(super) submitted: Vec<u64>,
}

impl Loop {
    fn range_ns(&self) -> u64 {
        let (first, last) = (self.rounds.first(), self.rounds.last());
        first.zip(last).map_or(0, |(first, last)| last.1 - first.0)
    }

    /// True if it is listed beside the selected loop: few submissions of a command may be chance.
    pub(super) fn is_offered(&self) -> bool {
        self.kind == IterationMarkKind::Region || self.rounds.len() >= MIN_AUTOMATIC_ITERATIONS
    }

    pub(super) fn mark(&self, trace: &Trace) -> IterationMark {
        IterationMark {
            kind: self.kind,
            name: self.name.clone(),
            location: location(trace, self.location),
            count: self.rounds.len() as u64,
            range_ns: self.range_ns(),
        }
    }
}

/// Minimum number of regions with exactly the given name on one thread. If there are as many, regions whose names
/// differ in numbers are left out.
#[derive(Clone, Copy)]
pub(super) enum Exact {
    /// The number in the name may count iterations (`step 17`).
    FromTwo = 2,
    FromOne = 1,
}

/// Returns the loops that match a question, best match first.
pub(super) fn loops(trace: &Trace, question: &IterationsQuestion, exact: Exact) -> Vec<Loop> {
    let mut loops = Vec::new();
    if question.command.is_none() {
        loops.extend(regions(trace, question.region.as_deref(), exact));
    }
    if question.region.is_none() {
        loops.extend(of_commands(trace, question.command.as_deref()));
    }
    let longest = loops.iter().map(Loop::range_ns).max().unwrap_or(0);
    let is_long =
        |found: &Loop| u128::from(found.range_ns()) * NEARLY_ALL.1 >= u128::from(longest) * NEARLY_ALL.0;
    loops.arrange_by_cached_key(|found| {
        let count = found.rounds.len();
        let start = found.rounds.first().map(|round| round.0);
        (
            !is_long(found),
            count < MIN_AUTOMATIC_ITERATIONS,
            found.kind,
            count,
            Reverse(found.range_ns()),
            start,
            found.name.clone(),
        )
    });
    loops
}

/// By track: start, end and slice of regions.
type OfThreads = FxHashMap<u32, Vec<(u64, u64, usize)>>;

/// Returns a loop for each name of regions, on the thread with most of them: those with at least [`MIN_ITERATIONS`]
/// regions, or the one named `text` with any number.
fn regions(trace: &Trace, text: Option<&str>, exact: Exact) -> Vec<Loop> {
    let wanted = text.map(without_numbers);
    let mut found: FxHashMap<String, OfThreads> = FxHashMap::default();
    for (track, slice) in trace.region_slices() {
        let slice = *slice as usize;
        cancel::row(slice);
        let (start, end) = trace.slices.interval(slice);
        let name = without_numbers(trace.strings.get(trace.slices.name.at(slice)));
        if start < end && wanted.as_ref().is_none_or(|wanted| *wanted == name) {
            found.entry(name).or_default().entry(*track).or_default().push((start, end, slice));
        }
    }
    if let Some(text) = text {
        let is_exact = |span: &(u64, u64, usize)| trace.strings.get(trace.slices.name.at(span.2)) == text;
        let mut threads = found.values().flat_map(OfThreads::values);
        if threads.any(|spans| spans.iter().filter(|span| is_exact(span)).count() >= exact as usize) {
            let mut threads = found.drain().next().map(|(_, threads)| threads).unwrap_or_default();
            threads.values_mut().for_each(|spans| spans.retain(is_exact));
            found.insert(text.to_owned(), threads);
        }
    }
    let of_name = |(name, threads): (String, OfThreads)| {
        let most = threads.into_iter().max_by_key(|(track, spans)| (spans.len(), Reverse(*track)));
        let mut spans = most.map(|(_, spans)| spans).unwrap_or_default();
        // Of nested regions with the same name, only the outer ones count.
        spans.arrange_by_key(|(start, end, slice)| (*start, Reverse(*end), *slice));
        let mut until = 0;
        spans.retain(|(start, end, _)| {
            let is_outer = *start >= until;
            until = until.max(*end);
            is_outer
        });
        let location = spans.first().map(|span| trace.slices.location.at(span.2)).unwrap_or_default();
        let rounds = spans.iter().map(|(start, end, _)| (*start, *end)).collect();
        let submitted = spans.iter().map(|(start, ..)| *start).collect();
        Loop { kind: IterationMarkKind::Region, name, location, rounds, submitted }
    };
    let loops = found.into_iter().map(of_name);
    loops.filter(|found| wanted.is_some() || found.rounds.len() >= MIN_ITERATIONS).collect()
}

/// Commands with one name from one source location.
type Token = (StringId, NodeKind, LocationId);

struct Submissions {
    process: u32,
    tokens: Vec<Token>,
    /// By command: its token, start and end.
    commands: Vec<(u32, u64, u64)>,
    /// By command: time of submission.
    submitted: Vec<u64>,
}

impl Submissions {
    /// Collects the submissions of the busiest thread.
    fn new(trace: &Trace) -> Self {
        let (slices, executions) = (&trace.slices, &trace.executions);
        let mut of_threads: FxHashMap<(u32, u32), Vec<(u64, usize)>> = FxHashMap::default();
        for row in (0..executions.len()).filter(|row| !trace.is_piece(*row)) {
            cancel::row(row);
            let track = trace.tracks.of_lane(slices.lane_of(row));
            let process = trace.tracks.row(track).process;
            let node = some(slices.node.at(row)).and_then(|node| trace.nodes.get(node));
            let (tid, at) =
                node.map_or((track as u32, slices.start.at(row)), |node| (node.tid, node.created));
            of_threads.entry((process, tid)).or_default().push((at, row));
        }
        let most = of_threads.into_iter().max_by_key(|(thread, rows)| (rows.len(), Reverse(*thread)));
        let ((process, _), mut rows) = most.unwrap_or_default();
        rows.sort_unstable();
        let mut known: FxHashMap<Token, u32> = FxHashMap::default();
        let mut tokens = Vec::new();
        let command = |(_, row): (u64, usize)| {
            let node = some(slices.node.at(row)).and_then(|node| trace.nodes.get(node));
            let place = node.map_or(LocationId::default(), |node| node.location);
            let token = (slices.name.at(row), executions.kind.at(row), place);
            let number = *known.entry(token).or_insert_with(|| {
                tokens.push(token);
                tokens.len() as u32 - 1
            });
            (number, slices.start.at(row), slices.end(row))
        };
        let submitted = rows.iter().map(|(at, _)| *at).collect();
        let commands = rows.into_iter().map(command).collect();
        Self { process, tokens, commands, submitted }
    }

    /// Returns the positions of each token's commands.
    fn places(&self) -> Vec<Vec<usize>> {
        let mut places = vec![Vec::new(); self.tokens.len()];
        for (place, (token, ..)) in self.commands.iter().enumerate() {
            places[*token as usize].push(place);
        }
        places
    }

    /// Returns a hash of the tokens from each position to the next one, regardless of their order and number. The last
    /// position has no next one.
    fn rounds(&self, places: &[usize]) -> Vec<u64> {
        let mut seen = vec![usize::MAX; self.tokens.len()];
        let round = |(number, ends): (usize, &[usize])| {
            cancel::spend(ends[1] - ends[0]);
            let mut sum = 0_u64;
            for (token, ..) in &self.commands[ends[0]..ends[1]] {
                if std::mem::replace(&mut seen[*token as usize], number) != number {
                    sum = sum.wrapping_add(mixed(u64::from(*token)));
                }
            }
            sum
        };
        places.windows(2).enumerate().map(round).collect()
    }

    /// Returns the end of the last command of an iteration that starts at a position: commands with other names than in
    /// complete iterations are left out.
    fn last_end(&self, place: usize, whole: &[(u32, u64, u64)]) -> u64 {
        let mut is_known = vec![false; self.tokens.len()];
        whole.iter().for_each(|(token, ..)| is_known[*token as usize] = true);
        let anchor = self.commands[place].0;
        let rest = self.commands[place..].iter().enumerate();
        let round = rest.take_while(|(number, (token, ..))| {
            is_known[*token as usize] && (*number == 0 || *token != anchor)
        });
        round.map(|(_, (.., end))| *end).max().unwrap_or(0)
    }
}

/// Spreads a small number over all bits (splitmix64).
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Returns the loops by a command that starts each iteration; for a requested name, also those with dissimilar
/// iterations.
fn of_commands(trace: &Trace, wanted: Option<&str>) -> Vec<Loop> {
    let submissions = Submissions::new(trace);
    let pauses = trace.pauses_of(submissions.process);
    let places = submissions.places();
    let span = |places: &[usize]| {
        let start = |place: Option<&usize>| place.map_or(0, |place| submissions.commands[*place].1);
        start(places.last()).saturating_sub(start(places.first()))
    };
    let is_wanted = |token: usize| match wanted {
        Some(wanted) => trace.strings.get(submissions.tokens[token].0) == wanted,
        None => places[token].len() >= MIN_ITERATIONS,
    };
    let mut tried: Vec<usize> = (0..places.len()).filter(|token| is_wanted(*token)).collect();
    tried.arrange_by_key(|token| (Reverse(span(&places[*token])), places[*token][0]));
    tried.truncate(MAX_CANDIDATES);
    // Of the commands of one loop, whose iterations only differ in their start, the first one is chosen.
    tried.arrange_by_key(|token| places[*token][0]);
    let mut known: FxHashSet<(usize, u64)> = FxHashSet::default();
    let mut loops = Vec::new();
    for token in tried {
        let places = &places[token];
        let rounds = submissions.rounds(places);
        let mut counts: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
        for (number, round) in rounds.iter().enumerate() {
            counts.entry(*round).or_insert((0, number)).0 += 1;
        }
        let usual = counts.iter().max_by_key(|(round, (count, _))| (*count, **round));
        let Some((round, (count, whole))) = usual.map(|(round, found)| (*round, *found)) else { continue };
        if wanted.is_none() && count * 10 < rounds.len() * MIN_SIMILAR_OF_TEN {
            continue;
        }
        if !known.insert((places.len(), round)) {
            continue;
        }
        let whole = &submissions.commands[places[whole]..places[whole + 1]];
        let end = places.last().map_or(0, |place| submissions.last_end(*place, whole));
        let start = |place: &usize| (submissions.commands[*place].1, submissions.submitted[*place]);
        let mut marks: Vec<(u64, u64)> = places.iter().map(start).collect();
        marks.sort_unstable();
        let (starts, submitted): (Vec<u64>, Vec<u64>) = marks.into_iter().unzip();
        let end = end.max(starts.last().copied().unwrap_or(0));
        let ends = starts.iter().skip(1).copied().chain([end]);
        let rounds = starts.iter().copied().zip(ends).zip(submitted);
        // In a pause of the recording, any number of iterations may have passed.
        let is_whole = |((from, to), _): &((u64, u64), u64)| pauses.ns_within(*from, *to) == 0;
        let (rounds, submitted): (Vec<(u64, u64)>, Vec<u64>) = rounds.filter(is_whole).unzip();
        if rounds.is_empty() {
            continue;
        }
        let (name, _, location) = submissions.tokens[token];
        let name = trace.strings.get(name).to_owned();
        loops.push(Loop { kind: IterationMarkKind::Command, name, location, rounds, submitted });
    }
    loops
}
