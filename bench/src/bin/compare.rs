//! Measures comparisons of two runs of 10⁴, 10⁵ and 10⁶ commands each: time, and memory with both traces in it. Prints
//! one JSON line for each figure.
//!
//! `cargo xtask bench compare` runs it.

use std::time::Instant as Clock;

use syclscope_bench::compare::{Edits, trace};
use syclscope_bench::figure::{figure, plain};
use syclscope_engine::compare::{Comparing, Group};
use syclscope_engine::store::Trace;
use syclscope_language::question::{CompareSide, PartOfSide};

const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];
const KINDS: [(Edits, Edits, &str); 3] = [
    (Edits::None, Edits::None, "against itself"),
    (Edits::None, Edits::Some, "with edits"),
    (Edits::Chaos, Edits::Chaos, "in any order"),
];
/// Maximum number of moments in a request of the page.
const ANCHORS: usize = 5_000;
/// Goals for the largest runs: seconds, and MB of memory in all.
const GOAL_S: f64 = 5.0;
const GOAL_MB: f64 = 1_000.0;

fn main() {
    for size in SIZES {
        for (before, now, what) in KINDS {
            measure(size, what, &trace(size, before, 1), &trace(size, now, 2));
        }
    }
}

fn measure(size: u64, what: &str, a: &Trace, b: &Trace) {
    // Resets the peak, so that it doesn't include the building of the traces.
    let is_counted = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let traces_mb = (a.memory_bytes() + b.memory_bytes()) as f64 / 1e6;
    let before_mb = in_status("VmRSS:");
    let start = Clock::now();
    let comparing = Comparing::new(Group::single("a", a), Group::single("b", b));
    let matched_s = start.elapsed().as_secs_f64();
    let comparison = comparing.overview(1_000);
    let taken_s = start.elapsed().as_secs_f64();
    eprintln!("{size} commands {what}: {} matched, {} rows", comparison.matched, comparison.rows.len());
    let name = |figure: &str| format!("{figure}, {size} commands {what}");
    plain(&name("matched and explained"), matched_s, "s", "lower");
    figure(&name("compared"), taken_s, "s", None, GOAL_S, "lower");
    plain(&name("memory of the traces alone"), traces_mb, "MB", "lower");
    if is_counted {
        figure(&name("memory with both traces"), in_status("VmHWM:"), "MB", None, GOAL_MB, "lower");
        // Both figures include freed memory that the allocator kept after building the traces.
        plain(&name("memory of the process before"), before_mb, "MB", "lower");
    }
    // Queries of linked timelines: the first finds the moments of the whole run, the second reads those of a part.
    let kept_mb = in_status("VmRSS:");
    let start = Clock::now();
    comparing.anchors(None, ANCHORS);
    plain(&name("moments that are the same, first time"), start.elapsed().as_secs_f64() * 1e3, "ms", "lower");
    plain(&name("memory that they keep"), (in_status("VmRSS:") - kept_mb).max(0.0), "MB", "lower");
    let (side, from_ns) = (CompareSide::A, comparison.a.duration_ns / 2);
    let to_ns = from_ns + comparison.a.duration_ns / 1_000;
    let start = Clock::now();
    comparing.anchors(Some(PartOfSide { side, from_ns, to_ns }), ANCHORS);
    plain(&name("moments of a thousandth of the run"), start.elapsed().as_secs_f64() * 1e3, "ms", "lower");
}

/// Returns this process's memory in MB: present (`VmRSS:`) or highest (`VmHWM:`).
fn in_status(which: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(which));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(0.0, |kib| kib * 1024.0 / 1e6)
}
