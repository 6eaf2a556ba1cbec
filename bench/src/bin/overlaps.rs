//! Measures reading and conversion of overlapping slices. Prints one JSON line for each figure.
//! `cargo xtask bench import` runs it.

use std::fmt::Write as _;
use std::time::Instant as Clock;

use syclscope_bench::figure::{figure, plain};
use syclscope_engine::export::perfetto;
use syclscope_engine::import;
use syclscope_engine::emit::emit;

/// Numbers of slices that are open at once.
const SIZES: [u64; 3] = [20_000, 80_000, 1_000_000];
/// Number of runs of all sizes but the largest; the fastest counts.
const RUNS: usize = 3;

fn main() {
    let mut before: Option<[f64; 2]> = None;
    for size in SIZES {
        let file = file(size);
        let runs = if size < 1_000_000 { RUNS } else { 1 };
        let fastest = (0..runs)
            .map(|_| seconds(&file, size))
            .fold([f64::INFINITY; 2], |best, [import, convert]| [best[0].min(import), best[1].min(convert)]);
        for (position, what) in ["import", "convert"].into_iter().enumerate() {
            let each = fastest[position] / size as f64;
            plain(&format!("{what}, {size} slices open at once"), each * 1e6, "µs each", "lower");
            if let Some(before) = before {
                let name = format!("{what}, {size} slices open at once: each, against 20000");
                figure(&name, each / before[position], "×", None, 3.0, "lower");
            }
        }
        before.get_or_insert(fastest.map(|seconds| seconds / size as f64));
    }
}

/// Returns a Chrome JSON file in which `size` slices are open at once.
fn file(size: u64) -> String {
    let mut json = String::from("[");
    for (phase, at) in [("b", 0), ("e", size)] {
        for number in 0..size {
            let (at, comma) = (at + number, if at + number == 0 { "" } else { "," });
            let head = format!(r#""ph":"{phase}","cat":"io","name":"read","pid":1,"tid":1"#);
            writeln!(json, r#"{comma}{{{head},"id":{number},"ts":{at}}}"#).expect("a text takes everything");
        }
    }
    json.push(']');
    json
}

/// Returns the seconds for reading the file and for writing it as Perfetto.
fn seconds(file: &str, size: u64) -> [f64; 2] {
    let start = Clock::now();
    let trace = import::open(file.as_bytes()).expect("a good file");
    let import = start.elapsed().as_secs_f64();
    assert_eq!(trace.info().counts.slices, size);
    let start = Clock::now();
    let mut writer = perfetto::Writer::new();
    emit(&trace, &mut writer);
    [import, start.elapsed().as_secs_f64()]
}
