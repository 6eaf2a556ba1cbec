//! Two runs, or two groups of runs: which commands correspond, what changed, why, and whether the change is real.
//!
//! One run of each side is *shown*: its commands are matched one by one, and its critical path explains the time. All
//! runs of a side, as [`Sample`]s, determine how certain a difference is.
//!
//! # Reading order
//!
//! `items` (the commands to match) with `keys`, `directions` and `regions` → `classes` (which keys belong together) →
//! `threads`, `rounds`, `align` (commands in their order) → `gaps`, `leftovers` (commands that the order does not
//! match) → `matching`. Then `waterfall`, `edges`, `graph`, `memory`, `live`, `anchors`, `rows`; [`statistics`] works
//! on plain numbers. `docs/COMPARE.md` describes the method.

mod align;
mod anchors;
mod classes;
mod clocks;
mod comparability;
mod directions;
mod edges;
mod figures;
mod gaps;
mod graph;
mod groups;
mod history;
mod items;
mod iteration_sample;
mod iterations;
mod keys;
mod leftovers;
mod live;
mod matching;
mod memory;
mod overview;
mod part;
mod region_sample;
mod region_times;
mod regions;
mod renamed;
mod rounds;
mod rows;
mod run_summary;
mod sample;
pub mod statistics;
mod threads;
mod times;
mod waterfall;

use std::ops::Deref;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use syclscope_language::api::{Anchor, Counterpart, MatchedCommand, MatchedCommands};
use syclscope_language::question::{CompareQuestion, CompareSide};

use self::items::Items;
use self::matching::Matching;
use self::part::WHOLE;
use self::rows::Rows;
use self::waterfall::Shares;
use crate::id::{NONE, some};
use crate::query::answer::json;
use crate::query::{QueryError, slice_ref};
use crate::store::Trace;

pub use self::groups::{SampledGroup, compare_samples};
pub use self::history::{find_steps, history, series_of};
pub use self::iteration_sample::SampledIterations;
pub use self::keys::Key;
pub use self::part::{LoopMark, RunPart};
pub use self::region_sample::SampledRegion;
pub use self::run_summary::KeptRun;
pub use self::sample::{Fact, Figure, Sample, SampledCommand, median_run};

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Group<T> {
    /// Name of the side.
    pub name: String,
    /// The shown run.
    pub trace: T,
    /// All runs, including the shown one. Empty if there is no other run.
    pub runs: Vec<Sample>,
    /// Index of the shown run.
    pub shown: usize,
    /// Part of the shown run that is compared; all of it if `None`.
    pub part: Option<RunPart>,
}

impl<T> Group<T> {
    /// Returns a side with one run.
    pub fn single(name: &str, trace: T) -> Self {
        Self { name: name.to_owned(), trace, runs: Vec::new(), shown: 0, part: None }
    }
}

/// A comparison of two sides, which answers queries at the cost of their result. `T` is a borrowed trace for a single
/// answer, or a shared trace for several.
pub struct Comparing<T> {
    names: [String; 2],
    traces: [T; 2],
    runs: [Vec<Sample>; 2],
    shown: [usize; 2],
    parts: [Option<RunPart>; 2],
    matching: Matching,
    shares: [Shares; 2],
    rows: Rows,
    /// True if copies are compared without their directions, which some runs lack.
    is_without_directions: bool,
    /// Corresponding moments of both sides, computed by the first query for them.
    anchors: OnceLock<Vec<Anchor>>,
}

impl<T> std::fmt::Debug for Comparing<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comparing").field("names", &self.names).finish_non_exhaustive()
    }
}

impl<T: Deref<Target = Trace>> Comparing<T> {
    /// Compares two sides. The cost is about that of sorting the commands of the shown runs and of their critical
    /// paths; almost linear.
    pub fn new(a: Group<T>, b: Group<T>) -> Self {
        let held = [a.trace, b.trace];
        let traces = held.each_ref().map(|trace| &**trace);
        let shown = [a.shown, b.shown];
        let names = [a.name, b.name];
        let mut runs = [a.runs, b.runs];
        let parts = [a.part, b.part];
        let range = |side: usize| parts[side].as_ref().map_or(WHOLE, |part| part.range.clone());
        let mut items = [0, 1].map(|side: usize| Items::new(traces[side], range(side)));
        for side in 0..2 {
            if runs[side].is_empty() {
                runs[side].push(Sample::of_items(
                    &names[side],
                    traces[side],
                    &items[side],
                    parts[side].as_ref(),
                ));
            }
        }
        let is_without_directions = directions::are_mixed(runs.iter().flatten());
        if is_without_directions {
            items.iter_mut().for_each(Items::leave_out_directions);
            runs = runs.each_ref().map(|runs| directions::compared(runs, true).into_owned());
        }
        let matching = Matching::new(traces, items);
        // Threads of both sides have the candidate's names.
        let others = FxHashMap::default();
        let thread_names = [&matching.thread_names, &others];
        let shares = [0, 1].map(|side: usize| {
            Shares::new(traces[side], &range(side), thread_names[side], |node| {
                let item = matching.items[side].of_node.get(node as usize).copied().and_then(some)?;
                Some(matching.class(side, item))
            })
        });
        let rows = Rows::new(traces, &matching, [&runs[0], &runs[1]], &shares);
        Self {
            names,
            traces: held,
            runs,
            shown,
            parts,
            matching,
            shares,
            rows,
            is_without_directions,
            anchors: OnceLock::new(),
        }
    }

    /// Returns the shown traces, baseline first.
    pub fn traces(&self) -> [&Trace; 2] {
        self.traces.each_ref().map(|trace| &**trace)
    }

    /// Returns the answer to a question, as JSON.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown command.
    pub fn answer(&self, question: &CompareQuestion) -> Result<String, QueryError> {
        match question {
            CompareQuestion::Overview { limit } => json(&self.overview(*limit as usize)),
            CompareQuestion::Commands { row, offset, limit } => {
                json(&self.commands(*row, *offset as usize, *limit as usize))
            }
            CompareQuestion::Graph { around, width, limit } => {
                json(&self.graph(*around, *width, *limit as usize))
            }
            CompareQuestion::Live { at, limit } => json(&self.live(*at, *limit as usize)),
            CompareQuestion::Counterpart { side, node } => json(&self.counterpart(*side, *node)?),
            CompareQuestion::Anchors { within, limit } => json(&self.anchors(*within, *limit as usize)),
        }
    }

    /// Returns the commands of a row one by one: the baseline's in their order, then unmatched ones of the candidate.
    pub fn commands(&self, row: u32, offset: usize, limit: usize) -> MatchedCommands {
        let is_in_row =
            |side: usize, item: &u32| self.rows.of_class[self.matching.class(side, *item) as usize] == row;
        let before = (0..self.matching.items[0].len() as u32).filter(|item| is_in_row(0, item));
        let before = before.map(|item| (Some(item), some(self.matching.partner[0][item as usize])));
        let now = (0..self.matching.items[1].len() as u32).filter(|item| is_in_row(1, item));
        let now = now
            .filter(|item| self.matching.partner[1][*item as usize] == NONE)
            .map(|item| (None, Some(item)));
        let mut answer = MatchedCommands::default();
        for (number, (a, b)) in before.chain(now).enumerate() {
            answer.total += 1;
            if number >= offset && answer.commands.len() < limit {
                answer.commands.push(self.pair(a, b));
            }
        }
        answer
    }

    /// Returns the counterpart of a command on the other side.
    ///
    /// # Errors
    /// Returns an error if there is no such command.
    pub fn counterpart(&self, side: CompareSide, node: u64) -> Result<Counterpart, QueryError> {
        let side = usize::from(side == CompareSide::B);
        let numbers = &self.traces[side].nodes.number;
        let row = numbers.iter().position(|number| number == node).ok_or(QueryError::NoNode(node))?;
        let Some(item) = self.matching.items[side].of_node.get(row).copied().and_then(some) else {
            return Ok(Counterpart::default());
        };
        let other = some(self.matching.partner[side][item as usize]);
        let command = if side == 0 { self.pair(Some(item), other) } else { self.pair(other, Some(item)) };
        Ok(Counterpart { row: some(self.rows.of_class[self.matching.class(side, item) as usize]), command })
    }

    fn pair(&self, a: Option<u32>, b: Option<u32>) -> MatchedCommand {
        let of = |side: usize, item: Option<u32>| {
            let (trace, items) = (&*self.traces[side], &self.matching.items[side]);
            let node = item.and_then(|item| some(items.node[item as usize]));
            let slice = item.and_then(|item| some(items.slice[item as usize]));
            (
                node.map(|node| trace.nodes.number.at(node as usize)),
                slice.map(|slice| slice_ref(trace, slice)),
            )
        };
        let ((a_node, a), (b_node, b)) = (of(0, a), of(1, b));
        MatchedCommand { a_node, b_node, a, b }
    }
}
