//! Measures answers about the memory of a million allocations, one JSON line a figure; `cargo xtask bench memory` runs
//! it.

use std::time::Instant as Clock;

use syclscope_bench::figure::{figure, plain};
use syclscope_bench::large::Random;
use syclscope_bench::memory::{QUESTIONS, Use, answer, ask, picture, trace};
use syclscope_bench::uses;
use syclscope_engine::store::Trace;
use syclscope_language::question::Question;

const ALLOCATIONS: u64 = 1_000_000;
/// Zooms of a picture in time and in addresses: all of it, half, … a 4096th.
const ZOOMS: std::ops::RangeInclusive<u32> = 0..=12;
/// Pictures of each pair of zooms.
const PICTURES: usize = 3;
/// Number of runs of each query; the fastest counts, because other work of the machine is not the query's cost.
const RUNS: usize = 5;

fn main() {
    for (usage, name) in Use::ALL {
        let start = Clock::now();
        let trace = trace(ALLOCATIONS, usage);
        let seconds = start.elapsed().as_secs_f64();
        let what = format!("10^6 allocations, {name}");
        plain(&format!("build, {what}"), ALLOCATIONS as f64 / seconds / 1e6, "M allocations/s", "higher");
        let bytes = trace.memory_bytes() as f64 / ALLOCATIONS as f64;
        plain(&format!("memory of an allocation, {what}"), bytes, "bytes", "lower");
        tiles(&trace, usage, &what);
        questions(&trace, &what);
    }
    uses();
}

/// Measures tiles of the track of a buffer that a million commands use.
fn uses() {
    const USES: u64 = 1_000_000;
    let trace = uses::trace(USES);
    let mut random = Random(9);
    let mut times = Vec::new();
    let ask = |key| {
        let tile = trace.answer(&Question::Tile(key));
        tile.expect("a tile").len()
    };
    let start = Clock::now();
    ask(uses::tile(&trace, 0, &mut random));
    plain("object with 10^6 uses, the first tile", start.elapsed().as_secs_f64() * 1e3, "ms", "lower");
    for zoom in ZOOMS {
        for _ in 0..PICTURES {
            let key = uses::tile(&trace, zoom, &mut random);
            times.push(fastest(|| ask(key)).0);
        }
    }
    times.sort_by(f64::total_cmp);
    figure("object with 10^6 uses: tile, median", times[times.len() / 2], "ms", None, 4.0, "lower");
    figure("object with 10^6 uses: tile, slowest", times[times.len() - 1], "ms", None, 4.0, "lower");
}

fn tiles(trace: &Trace, usage: Use, what: &str) {
    let mut random = Random(5);
    let whole = picture(trace, usage, 0, 0, &mut random);
    let (milliseconds, shown) = fastest(|| ask(trace, whole));
    figure(&format!("memory tile of the whole run, {what}"), milliseconds, "ms", None, 4.0, "lower");
    plain(&format!("rectangles in it, {what}"), shown as f64, "", "lower");
    let mut times = Vec::new();
    for zoom in ZOOMS {
        for address_zoom in ZOOMS {
            for _ in 0..PICTURES {
                let key = picture(trace, usage, zoom, address_zoom, &mut random);
                let (milliseconds, shown) = fastest(|| ask(trace, key));
                times.push((milliseconds, zoom, address_zoom, shown));
            }
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    figure(&format!("memory tile, median, {what}"), at(0.5).0, "ms", None, 4.0, "lower");
    figure(&format!("memory tile, 99 of 100, {what}"), at(0.99).0, "ms", None, 4.0, "lower");
    eprintln!("slowest (ms, zoom in time, in addresses, rectangles): {:?}", &times[times.len() - 6..]);
}

/// Prints the time of each query: the first run, then the fastest of later ones.
fn questions(trace: &Trace, what: &str) {
    for question in QUESTIONS {
        let start = Clock::now();
        answer(trace, question);
        let first = start.elapsed().as_secs_f64() * 1e3;
        plain(&format!("{question}, {what}, at first"), first, "ms", "lower");
        let (then, _) = fastest(|| answer(trace, question));
        plain(&format!("{question}, {what}"), then, "ms", "lower");
    }
}

/// Returns the fewest milliseconds of several runs, and the result of the last one.
fn fastest(mut ask: impl FnMut() -> usize) -> (f64, usize) {
    let mut best = (f64::INFINITY, 0);
    for _ in 0..RUNS {
        let start = Clock::now();
        let shown = ask();
        best = (best.0.min(start.elapsed().as_secs_f64() * 1e3), shown);
    }
    best
}
