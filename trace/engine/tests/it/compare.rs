//! Comparison of two runs: matched commands, differences, and the breakdown of time.

mod around;
mod bad;
mod bounded;
mod calls;
mod directions;
mod edits;
mod graph;
mod iterations;
mod lines;
mod live;
mod parts;
mod programs;
mod random;
mod regions;

use syclscope_engine::compare::{Comparing, Group};
use syclscope_engine::store::Trace;
use syclscope_language::api::{ComparedRow, Comparison};

/// Returns a comparison of single runs, with all rows.
fn compare(a: &Trace, b: &Trace) -> Comparison {
    let comparison = Comparing::new(Group::single("a", a), Group::single("b", b)).overview(usize::MAX);
    let sum = |side: fn(&syclscope_language::api::WaterfallPart) -> i64| {
        comparison.waterfall.iter().map(side).sum::<i64>()
    };
    assert_eq!(
        sum(|part| part.a_ns),
        comparison.a.duration_ns.cast_signed(),
        "the parts add up to the time of A"
    );
    assert_eq!(
        sum(|part| part.b_ns),
        comparison.b.duration_ns.cast_signed(),
        "the parts add up to the time of B"
    );
    comparison
}

fn row<'c>(comparison: &'c Comparison, name: &str) -> &'c ComparedRow {
    let found = comparison.rows.iter().find(|row| row.a.iter().chain(&row.b).any(|side| side.name == name));
    found.unwrap_or_else(|| panic!("no row {name}"))
}
