//! Measures traces from 10⁵ to 10⁷ slices (10⁸ with `--large`): memory, building and screens of tiles; one JSON line
//! a figure.
//!
//! `cargo xtask bench tiles` runs it. A screen is all tiles of fifty lanes at 1600 pixels.

use std::time::Instant as Clock;

use syclscope_bench::figure::{figure, plain};
use syclscope_bench::large::{LANES, Random, ask, screen, trace, tracks};
use syclscope_bench::selections;
use syclscope_engine::store::Trace;
use syclscope_language::filter::Filter;
use syclscope_language::question::TileKey;

/// Zooms of a screen: the whole trace, half of it, … a 65536th.
const ZOOMS: std::ops::RangeInclusive<u32> = 0..=16;
/// Screens of each zoom.
const SCREENS: usize = 40;
/// Number of requests for each screen.
const RUNS: usize = 5;

fn main() {
    let mut sizes = vec![100_000, 1_000_000, 10_000_000];
    if std::env::args().any(|argument| argument == "--large") {
        sizes = vec![100_000_000];
    }
    for size in sizes {
        measure(size);
    }
}

fn measure(size: u64) {
    let name = |what: &str| format!("{what}, 10^{} slices", size.ilog10());
    let before = status_bytes("VmRSS");
    forget_peak();
    let start = Clock::now();
    let trace = trace(size);
    let seconds = start.elapsed().as_secs_f64();
    let info = trace.info();
    let slices = info.counts.slices as f64;
    let shown = info.tracks.iter().map(|track| u64::from(track.lanes)).sum::<u64>();
    assert_eq!(shown, LANES, "the lanes of a screen");
    plain(&name("build"), slices / seconds / 1e6, "M slices/s", "higher");
    figure(&name("memory of a slice"), trace.memory_bytes() as f64 / slices, "bytes", None, 100.0, "lower");
    let resident = status_bytes("VmRSS").saturating_sub(before) as f64;
    plain(&name("resident"), resident / 1e6, "MB", "lower");
    let peak = status_bytes("VmHWM").saturating_sub(before) as f64;
    let result = trace.memory_bytes() as f64 / 1e6;
    figure(&name("peak while building"), peak / 1e6, "MB", Some(result), 3.0 * result, "lower");
    screens(&trace, info.duration_ns, &name);
    selections::measure(&trace, &name);
}

fn screens(trace: &Trace, duration_ns: u64, name: &dyn Fn(&str) -> String) {
    let plain = times(trace, duration_ns, &|keys| ask(trace, keys));
    let filter = "kernel42<".parse().expect("a filter");
    let fading = times(trace, duration_ns, &|keys| ask_fading(trace, keys, &filter));
    for (what, times, baseline) in [("screen", &plain, None), ("fading screen", &fading, Some(&plain))] {
        for (share, position) in [("median", 0.5), ("99 of 100", 0.99)] {
            let at = |times: &Vec<(f64, u32, usize)>| times[((times.len() - 1) as f64 * position) as usize].0;
            let goal = if baseline.is_some() { 100.0 } else { 2.0 };
            figure(&name(&format!("{what}, {share}")), at(times), "ms", baseline.map(at), goal, "lower");
        }
        let (milliseconds, zoom, shown) = times[times.len() - 1];
        eprintln!("{}: slowest {milliseconds:.2} ms at zoom {zoom} showing {shown} slices", name(what));
    }
}

/// Measures screens, from the fastest to the slowest: milliseconds, zoom, and number of slices.
fn times(trace: &Trace, duration_ns: u64, ask: &dyn Fn(&[TileKey]) -> usize) -> Vec<(f64, u32, usize)> {
    let tracks = tracks(trace);
    let mut random = Random(42);
    let mut times = Vec::new();
    for zoom in ZOOMS {
        for _ in 0..SCREENS {
            let keys = screen(duration_ns, &tracks, zoom, &mut random);
            // The fastest counts, because other work of the machine is not the query's cost.
            let mut milliseconds = f64::INFINITY;
            let mut shown = 0;
            for _ in 0..RUNS {
                let start = Clock::now();
                shown = ask(&keys);
                milliseconds = milliseconds.min(start.elapsed().as_secs_f64() * 1e3);
            }
            times.push((milliseconds, zoom, shown));
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    times
}

/// Requests tiles with the slices that match a filter; returns the number of slices shown.
fn ask_fading(trace: &Trace, keys: &[TileKey], filter: &Filter) -> usize {
    let shown = |key: &TileKey| {
        let tile = trace.filtered_tile(*key, filter);
        tile.map_or(0, |tile| tile.lanes.iter().map(|lane| lane.matching.len()).sum())
    };
    keys.iter().map(shown).sum()
}

/// Returns a value of `/proc/self/status` in bytes.
fn status_bytes(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kibibytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// Resets the highest memory use to the present one, if the system permits it.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
