//! Filters compiled for one trace.
//!
//! A condition on text is evaluated once for each distinct text, one on arguments once for each distinct set, one on
//! source locations once for each location; for each slice, only a lookup remains.

mod args;
mod commands;
mod regions;

use std::cmp::Ordering;

use syclscope_language::event::{Category, NodeKind};
use syclscope_language::filter::{Condition, Field, Filter, Number, Op, Units};

use self::regions::Regions;
use crate::cancel::{self, Steps};
use crate::id::{LocationId, some};
use crate::store::Trace;
use crate::store::table::Table as _;

pub(crate) struct Matcher<'t> {
    trace: &'t Trace,
    test: Test,
    /// Maximum number of conditions evaluated for a slice.
    conditions: usize,
    steps: Steps,
}

enum Test {
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
    Name(Memo<Condition>),
    Args(Memo<Condition>),
    /// Errors among the arguments.
    Error {
        memo: Memo<()>,
        truth: bool,
    },
    Location(Memo<Condition>),
    Track(Vec<bool>),
    /// Regions around the slice, or their absence.
    In {
        regions: Regions,
        is: bool,
    },
    /// Queue of the slice's command, else its track.
    Queue {
        rows: Vec<bool>,
        tracks: Vec<bool>,
    },
    Node(Vec<bool>),
    Category {
        category: Category,
        is: bool,
    },
    Kind {
        kind: NodeKind,
        is: bool,
    },
    Unfinished(bool),
    Time {
        of: Time,
        op: Op,
        number: Number,
    },
    Nothing,
}

#[derive(Clone, Copy)]
enum Time {
    Start,
    Duration,
    End,
}

impl<'t> Matcher<'t> {
    pub(crate) fn new(trace: &'t Trace, filter: &Filter) -> Self {
        let conditions = 1 + conditions(filter);
        Self { trace, test: test(trace, filter), conditions, steps: Steps::default() }
    }

    /// True if every slice matches.
    pub(crate) fn is_everything(&self) -> bool {
        matches!(&self.test, Test::All(parts) if parts.is_empty())
    }

    pub(crate) fn is_match(&mut self, row: usize, track: u32) -> bool {
        self.steps.add(self.conditions);
        self.test.is_true(self.trace, row, track)
    }

    /// True if a slice matches on its own track.
    pub(crate) fn is_match_anywhere(&mut self, row: u32) -> bool {
        let track = self.trace.tracks.of_lane(self.trace.slices.lane_of(row as usize)) as u32;
        self.is_match(row as usize, track)
    }
}

fn test(trace: &Trace, filter: &Filter) -> Test {
    let parts = |parts: &[Filter]| parts.iter().map(|part| test(trace, part)).collect();
    match filter {
        Filter::All(filters) => Test::All(parts(filters)),
        Filter::Any(filters) => Test::Any(parts(filters)),
        Filter::Not(negated) => Test::Not(Box::new(test(trace, negated))),
        Filter::Is(condition) => condition_test(trace, condition),
    }
}

fn conditions(filter: &Filter) -> usize {
    match filter {
        Filter::All(filters) | Filter::Any(filters) => filters.iter().map(conditions).sum(),
        Filter::Not(negated) => conditions(negated),
        Filter::Is(_) => 1,
    }
}

fn condition_test(trace: &Trace, condition: &Condition) -> Test {
    let Condition { field, op, value } = condition;
    // Some conditions are evaluated once for each text or location of the trace.
    cancel::spend(trace.strings.len());
    let is = *op != Op::IsNot;
    let time = |of| {
        let number = Number::parse(value, Units::TIME);
        number.map_or(Test::Nothing, |number| Test::Time { of, op: *op, number })
    };
    match field {
        Field::Name => Test::Name(Memo::new(trace.strings.len(), condition.clone())),
        Field::Arg(_) => Test::Args(Memo::new(trace.args.len(), condition.clone())),
        Field::Error => Test::Error { memo: Memo::new(trace.args.len(), ()), truth: (value == "true") == is },
        Field::File | Field::Line | Field::Function => {
            Test::Location(Memo::new(trace.locations.len(), condition.clone()))
        }
        Field::Track | Field::Thread | Field::Process | Field::Rank => {
            Test::Track(commands::tracks(trace, condition))
        }
        Field::In => Test::In { regions: Regions::new(trace, condition), is },
        Field::Queue | Field::Device => {
            let (rows, tracks) = commands::queues(trace, condition);
            Test::Queue { rows, tracks }
        }
        Field::Node => {
            Test::Node(trace.nodes.number.iter().map(|number| is_number(condition, number)).collect())
        }
        Field::Buffer => Test::Node(commands::using(trace, condition)),
        Field::Memory => Test::Node(trace.commands_touching(|id| is_number(condition, id))),
        Field::Category => Test::Category { category: Category::from_text(value), is },
        Field::Kind => Test::Kind { kind: NodeKind::from_text(value), is },
        Field::Unfinished => Test::Unfinished((value == "true") == is),
        Field::Duration => time(Time::Duration),
        Field::Start => time(Time::Start),
        Field::End => time(Time::End),
    }
}

impl Test {
    fn is_true(&mut self, trace: &Trace, row: usize, track: u32) -> bool {
        let slices = &trace.slices;
        match self {
            Self::All(parts) => parts.iter_mut().all(|part| part.is_true(trace, row, track)),
            Self::Any(parts) => parts.iter_mut().any(|part| part.is_true(trace, row, track)),
            Self::Not(part) => !part.is_true(trace, row, track),
            Self::Name(memo) => {
                let name = slices.name.at(row);
                memo.get(name.0, |condition| is_text(condition, trace.strings.get(name)))
            }
            Self::Args(memo) => {
                let set = slices.args.at(row);
                memo.get(set.0, |condition| args::is_match(trace, set, condition))
            }
            Self::Error { memo, truth } => {
                let set = slices.args.at(row);
                matches!(slices.category(row), Category::Call | Category::Native)
                    && memo.get(set.0, |()| trace.is_error(set)) == *truth
            }
            Self::Location(memo) => {
                let place = place(trace, row);
                memo.get(place.0, |condition| is_place(trace, place, condition))
            }
            Self::Track(tracks) => tracks.get(track as usize).copied().unwrap_or_default(),
            Self::In { regions, is } => regions.contain(trace, row, track) == *is,
            Self::Queue { rows, tracks } => {
                match some(slices.node.at(row)).and_then(|node| some(trace.nodes.queue.at(node as usize))) {
                    Some(queue) => rows.get(queue as usize).copied().unwrap_or_default(),
                    None => tracks.get(track as usize).copied().unwrap_or_default(),
                }
            }
            Self::Node(nodes) => some(slices.node.at(row))
                .and_then(|node| nodes.get(node as usize))
                .copied()
                .unwrap_or_default(),
            Self::Category { category, is } => (slices.category(row) == *category) == *is,
            Self::Kind { kind, is } => kind_of(trace, row).is_some_and(|known| (known == *kind) == *is),
            Self::Unfinished(truth) => slices.is_unfinished(row) == *truth,
            Self::Time { of, op, number } => {
                let time = match of {
                    Time::Start => slices.start.at(row),
                    Time::Duration => slices.duration.at(row),
                    Time::End => slices.end(row),
                };
                compares(*op, Number::Whole(time.into()).compare(*number))
            }
            Self::Nothing => false,
        }
    }
}

pub(crate) fn kind_of(trace: &Trace, row: usize) -> Option<NodeKind> {
    if row < trace.executions.len() {
        return Some(trace.executions.kind.at(row));
    }
    some(trace.slices.node.at(row)).map(|node| trace.nodes.kind.at(node as usize))
}

/// Returns the source location of the code that caused a slice, or else of its command.
pub(crate) fn place(trace: &Trace, row: usize) -> LocationId {
    let own = trace.slices.location.at(row);
    // A wait has its own location or none: its command's location is where the command was submitted.
    if let Some(place) = trace.waiting_place(row) {
        return place;
    }
    match some(trace.slices.node.at(row)) {
        Some(node) if own == LocationId(0) => trace.nodes.location.at(node as usize),
        _ => own,
    }
}

fn is_place(trace: &Trace, place: LocationId, condition: &Condition) -> bool {
    let Some(place) = trace.locations.place(place, &trace.strings) else { return false };
    match condition.field {
        Field::File => !place.file.is_empty() && is_text(condition, place.file),
        Field::Function => !place.function.is_empty() && is_text(condition, place.function),
        _ => place.line > 0 && is_number(condition, place.line.into()),
    }
}

fn is_text(condition: &Condition, text: &str) -> bool {
    match condition.op {
        Op::Has => contains(text, &condition.value),
        Op::IsNot => text != condition.value,
        _ => text == condition.value,
    }
}

/// True if a text contains another, ignoring case.
fn contains(text: &str, part: &str) -> bool {
    if text.is_ascii() && part.is_ascii() {
        let (text, part) = (text.as_bytes(), part.as_bytes());
        return part.is_empty() || text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    }
    text.to_lowercase().contains(&part.to_lowercase())
}

fn is_number(condition: &Condition, number: u64) -> bool {
    let asked = Number::parse(&condition.value, Units::NONE);
    compares(condition.op, asked.and_then(|asked| Number::Whole(number.into()).compare(asked)))
}

/// True if an operator accepts this result of a comparison.
fn compares(op: Op, found: Option<Ordering>) -> bool {
    let Some(found) = found else { return false };
    match op {
        Op::Has | Op::Is => found.is_eq(),
        Op::IsNot => found.is_ne(),
        Op::Less => found.is_lt(),
        Op::AtMost => found.is_le(),
        Op::More => found.is_gt(),
        Op::AtLeast => found.is_ge(),
    }
}

/// Memoized answers by number.
struct Memo<C> {
    condition: C,
    results: Vec<u8>,
}

const YES: u8 = 1;
const NO: u8 = 2;

impl<C> Memo<C> {
    /// Returns a table of `entries` unknown answers.
    fn new(entries: usize, condition: C) -> Self {
        Self { condition, results: vec![0; entries] }
    }

    /// Returns the answer for a number, computed by `find` if unknown.
    fn get(&mut self, number: u32, find: impl FnOnce(&C) -> bool) -> bool {
        match self.results.get_mut(number as usize) {
            Some(result) => {
                if *result == 0 {
                    *result = if find(&self.condition) { YES } else { NO };
                }
                *result == YES
            }
            None => find(&self.condition),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn text_contains_whatever_the_case() {
        assert!(contains("Stencil<float>", "CIL<F") && contains("Stencil", "") && contains("", ""));
        assert!(contains("Größe", "GRÖSSE") == "grösse".contains("größe") && contains("ÄB", "äb"));
        assert!(!contains("ab", "abc") && !contains("ab", "ba"));
    }
}
