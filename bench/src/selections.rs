//! Measures selections against a walk over the whole trace that finds the same slices.

use std::time::Instant as Clock;

use syclscope_engine::store::Trace;
use syclscope_language::question::{Question, SearchQuestion};

use crate::figure::{figure, plain};

/// Number of runs of each query; the fastest counts.
const RUNS: usize = 5;

/// Prints figures of selections of a trace. `name` completes the name of each figure.
pub fn measure(trace: &Trace, name: &dyn Fn(&str) -> String) {
    let duration_ns = trace.info().duration_ns;
    let (from, to) = (duration_ns / 2, duration_ns / 2 + duration_ns / 1000);
    // Both find the same slices: by range, and by a filter that tests every slice.
    let range = format!("select?from={from}&to={to}");
    let filter = format!("select?where=start<{to} (end>{from} or start>={from})");
    let (by_range, by_filter) = (milliseconds(trace, &range), milliseconds(trace, &filter));
    assert_eq!(count(trace, &range), count(trace, &filter), "both ways find the same");
    figure(
        &name("select a thousandth of the run"),
        by_range,
        "ms",
        Some(by_filter),
        by_filter / 10.0,
        "lower",
    );
    let start = Clock::now();
    assert!(trace.answer(&question("select")).is_ok(), "the first time");
    plain(&name("select the whole run, the first time"), start.elapsed().as_secs_f64() * 1e3, "ms", "lower");
    // This filter matches everything, so it tests every slice.
    let one_by_one = milliseconds(trace, "select?where=duration>=0");
    for (what, text) in [
        ("select the whole run", "select".to_owned()),
        ("select all but its edges", format!("select?from=1000&to={}", duration_ns.saturating_sub(1000))),
    ] {
        figure(&name(what), milliseconds(trace, &text), "ms", Some(one_by_one), 100.0, "lower");
    }
    plain(&name("select a kernel by name"), milliseconds(trace, "select?where=kernel42<"), "ms", "lower");
    plain(
        &name("search for an argument"),
        milliseconds(trace, "search?where=arg.bytes>=512K"),
        "ms",
        "lower",
    );
    let list = "slices?where=category:kernel&sort=-duration&limit=100";
    plain(&name("list the longest kernels"), milliseconds(trace, list), "ms", "lower");
    let step = format!("step?where=kernel42<&at={from}");
    plain(&name("step to the next kernel of a name"), milliseconds(trace, &step), "ms", "lower");
}

fn count(trace: &Trace, text: &str) -> u64 {
    let selection = match question(text) {
        Question::Select(question) => question.selection,
        other => panic!("{other}"),
    };
    trace.search(&SearchQuestion { selection, slice: None }).map_or(0, |found| found.total)
}

fn question(text: &str) -> Question {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the milliseconds of the fastest run.
fn milliseconds(trace: &Trace, text: &str) -> f64 {
    let question = question(text);
    let once = |_| {
        let start = Clock::now();
        assert!(trace.answer(&question).is_ok(), "{text}");
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..RUNS).map(once).fold(f64::INFINITY, f64::min)
}
