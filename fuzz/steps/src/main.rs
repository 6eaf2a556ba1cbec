//! Checks that no algorithm of the engine is worse than n log n: counts the steps of its compiled code for recordings
//! of hostile shapes at one size and at four times that.
//!
//! Steps are the compiler's coverage counters, so that the test misses no loop of the engine.
//! `cargo xtask test --only steps` compiles the engine with them.

mod foreign;
mod meter;
mod queries;
mod recording;
mod shapes;

use std::fmt::Write as _;
use std::process::ExitCode;

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::compare::{Comparing, Group};
use syclscope_engine::export::{Exporter, chrome_json, perfetto};
use syclscope_engine::import;
use syclscope_engine::store::Trace;

use self::foreign::FILES;
use self::meter::counted;
use self::queries::{compare_questions, everything};
use self::recording::Recording;
use self::shapes::{SHAPES, Shape};

/// Size of the small recordings. It is large compared with the engine's constants, such as the number of pairs of
/// copies that the engine remembers.
const SIZE: u64 = 1_000;
/// Four times the size takes four times the steps, and somewhat more for logarithms and growing tables.
const MAX_RATIO: u64 = 6;
/// Fewer additional steps are acceptable at any ratio.
const MIN_STEPS: u64 = 400_000;

/// Steps by operation.
type Counts = Vec<(String, u64)>;

fn exported(shape: &Shape, size: u64, mut writer: impl Exporter) -> Vec<u8> {
    let mut run = Recording::new(&mut writer);
    shape.1(&mut run, size);
    run.finish();
    writer.take_bytes()
}

fn built(shape: &Shape, size: u64) -> Trace {
    let mut builder = TraceBuilder::new();
    let mut run = Recording::new(&mut builder);
    shape.1(&mut run, size);
    run.finish();
    builder.build()
}

fn of_trace(trace: &Trace, counts: &mut Counts) {
    for (name, work) in everything(trace) {
        counts.push((name, counted(|| work(trace)).1));
    }
}

fn of_shape(shape: &Shape, size: u64) -> Counts {
    let mut counts = Counts::new();
    let (trace, steps) = counted(|| built(shape, size));
    counts.push(("build".to_owned(), steps));
    of_trace(&trace, &mut counts);
    let (file, steps) = counted(|| exported(shape, size, perfetto::Writer::new()));
    counts.push(("write as Perfetto".to_owned(), steps));
    let (opened, steps) = counted(|| import::open(&file).expect("our own file"));
    counts.push(("read of Perfetto".to_owned(), steps));
    let (file, steps) = counted(|| exported(shape, size, chrome_json::Writer::new()));
    counts.push(("write as JSON".to_owned(), steps));
    counts.push(("read of JSON".to_owned(), counted(|| drop(import::open(&file))).1));
    let (comparing, steps) =
        counted(|| Comparing::new(Group::single("a", &trace), Group::single("b", &opened)));
    counts.push(("compare".to_owned(), steps));
    for question in compare_questions() {
        let steps = counted(|| drop(comparing.answer(&question))).1;
        counts.push((format!("compare {question:?}"), steps));
    }
    counts
}

fn of_file(file: fn(u64) -> Vec<u8>, size: u64) -> Counts {
    let mut counts = Counts::new();
    let bytes = file(size);
    let (trace, steps) = counted(|| import::open(&bytes));
    counts.push(("read".to_owned(), steps));
    if let Ok(trace) = trace {
        of_trace(&trace, &mut counts);
    }
    counts
}

/// Returns the operations that take too many steps.
fn too_many(small: &Counts, large: &Counts) -> String {
    let mut found = String::new();
    for ((name, few), (_, many)) in small.iter().zip(large) {
        if *many > few * MAX_RATIO + MIN_STEPS {
            let _ = writeln!(found, "  {name}: {few} steps at {SIZE}, {many} at {}", SIZE * 4);
        }
    }
    found
}

/// Checks the shapes and files whose names contain the first argument, or all without one.
fn main() -> ExitCode {
    let only = std::env::args().nth(1).unwrap_or_default();
    let shapes = SHAPES.iter().map(|shape| (shape.0, Of::Shape(shape)));
    let files = FILES.iter().map(|file| (file.0, Of::File(file.1)));
    let mut is_bad = false;
    for (name, of) in shapes.chain(files).filter(|(name, _)| name.contains(&only)) {
        let counts = |size| match of {
            Of::Shape(shape) => of_shape(shape, size),
            Of::File(file) => of_file(file, size),
        };
        let found = too_many(&counts(SIZE), &counts(SIZE * 4));
        is_bad |= !found.is_empty();
        println!("{name}");
        print!("{found}");
    }
    if is_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Source of a trace of a given size.
enum Of {
    Shape(&'static Shape),
    File(fn(u64) -> Vec<u8>),
}
