//! Measures drawings of task graphs of 10³, 10⁴ and 5·10⁴ nodes: the bare layout against a walk over the same graph,
//! and whole answers to queries of views. Prints one JSON line for each figure.
//!
//! `cargo xtask bench graph` runs it.

use std::hint::black_box;
use std::time::Instant as Clock;

use syclscope_bench::figure::{figure, plain};
use syclscope_bench::tasks::{Plain, QUESTIONS, ask, question, trace};

const SIZES: [u64; 3] = [1_000, 10_000, 50_000];
/// Number of runs; the fastest counts, because other work of the machine is not the query's cost.
const RUNS: usize = 5;

fn main() {
    for size in SIZES {
        let trace = trace(size);
        let graph = Plain::new(&trace);
        let (nodes, edges) = graph.counts();
        eprintln!("{nodes} nodes, {edges} edges, {} crossings", graph.draw());
        let walk = milliseconds(|| graph.walk());
        let name = |what: &str| format!("{what}, {size} nodes");
        figure(
            &name("layout of all"),
            milliseconds(|| graph.draw() as usize),
            "ms",
            Some(walk),
            2_000.0,
            "lower",
        );
        for (number, (what, _)) in QUESTIONS.iter().enumerate() {
            let question = question(number, size);
            let taken = milliseconds(|| ask(&trace, &question));
            let bytes = ask(&trace, &question) as f64;
            // Folded graphs must appear at once; whole ones may take two seconds.
            let goal = if what.starts_with("all") { 2_000.0 } else { 100.0 };
            figure(&name(&format!("answer {what}")), taken, "ms", Some(walk), goal, "lower");
            plain(&name(&format!("bytes {what}")), bytes / 1e6, "MB", "lower");
        }
    }
}

fn milliseconds(run: impl Fn() -> usize) -> f64 {
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Clock::now();
        black_box(run());
        fastest = fastest.min(start.elapsed().as_secs_f64() * 1e3);
    }
    fastest
}
