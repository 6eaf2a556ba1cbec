//! Cost of recording: a notification's handler, and whole programs.
//!
//! A program runs without recording, with an empty subscriber, with ours, and with the runtime's text collector, in
//! turns, so that noise affects all of them alike. The minimum of each counts. An empty subscriber costs only the
//! runtime's part, so ours is compared to it.

mod level_zero;
mod subject;

use super::figure::{Better, Figure};
use super::traces::run_examples;
use crate::artefacts::examples;
use crate::artefacts::program::Profile;
use crate::prelude::*;
use crate::setup::{self, Scope, apt, sycl};
use subject::{Recorded, Subject, Tracing};

const EMPTY_SUBSCRIBER: &str = include_str!("empty_subscriber.cpp");
const SHORT_KERNELS: &str = include_str!("short_kernels.cpp");
const TURNS: usize = 5;
/// Options that are off by default, each with a variable and its value.
const OPTIONS: [(&str, &str, &str); 2] =
    [("call stacks", "SYCLSCOPE_STACKS", "native"), ("samples", "SYCLSCOPE_SAMPLE", "99Hz")];
/// Maximum time of a recorded program relative to an empty subscriber.
const MAX_RATIO: f64 = 1.03;
/// The same if another process writes, as under `syclscope record`.
const MAX_RATIO_FROM_BESIDE: f64 = 1.15;
/// Minimum ratio of the text collector's added time to ours.
const MIN_TEXT_FACTOR: f64 = 5.0;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::run(workspace, Scope::Demo)?;
    let mut figures = run_examples(workspace, "subscriber", "syclscope-subscriber")?;
    examples::build(workspace)?;
    let compiled = |name, source, flags: &[&str]| compile(workspace, name, source, flags);
    let empty = compiled("libempty_subscriber.so", EMPTY_SUBSCRIBER, &["-shared", "-fPIC", "-ldl"])?;
    let short = compiled("short_kernels", SHORT_KERNELS, &["-pthread", "-lsycl"])?;
    let text = sycl::runtime(workspace).link.join("lib/libsycl_ur_trace_collector.so");
    // Built with the benchmarks.
    let ours = Profile::Release.subscriber(workspace);
    let drain = workspace.target.join("release/examples/drain");
    let tracing = Tracing { workspace, empty, ours, text, drain };

    for threads in [1, 2, 4] {
        figures.extend(short_kernels(&tracing, &short, threads)?);
    }
    figures.extend(options(&tracing, &short)?);
    figures.extend(level_zero::figures(&tracing, &short)?);
    figures.extend(bytes(&tracing, &short)?);
    figures.extend(demo(&tracing)?);
    Ok(figures)
}

/// Measures a program that does little but submit.
fn short_kernels(tracing: &Tracing<'_>, program: &Path, threads: usize) -> Result<Vec<Figure>> {
    let threads_text = threads.to_string();
    let subject = Subject::new(program, &["40", "500", &threads_text]);
    let name = format!("short kernels on {threads} threads");
    let mut kinds = vec![Recorded::Not, Recorded::ByNobody, Recorded::ByUs("normal"), Recorded::Beside];
    if threads == 1 {
        kinds.push(Recorded::AsText);
    }
    let (least, dropped) = tracing.least_costs(&subject, &name, &kinds)?;
    let [plain, empty, ours, beside] = [least[0], least[1], least[2], least[3]];
    let figure = |what: &str, value, unit| Figure::new(format!("{name}: {what}"), value, unit);
    let mut figures = vec![
        figure("not recorded", plain.wall_ns, "ns"),
        figure("empty subscriber", empty.wall_ns, "ns").with_baseline(plain.wall_ns),
        figure("recorded", ours.wall_ns, "ns")
            .with_baseline(empty.wall_ns)
            .with_goal(empty.wall_ns * MAX_RATIO),
        figure("recorded, submitting threads", ours.threads_ns, "ns").with_baseline(empty.threads_ns),
        figure("recorded, processor time", ours.process_ns, "ns").with_baseline(empty.process_ns),
        figure("recorded from beside", beside.wall_ns, "ns")
            .with_baseline(empty.wall_ns)
            .with_goal(empty.wall_ns * MAX_RATIO_FROM_BESIDE),
        figure("recorded from beside, submitting threads", beside.threads_ns, "ns")
            .with_baseline(empty.threads_ns),
        figure("recorded from beside, events lost", dropped, "").with_goal(0.0),
    ];
    if let Some(text) = least.get(4) {
        figures.push(figure("text collector", text.wall_ns, "ns").with_baseline(empty.wall_ns));
        let times = (text.wall_ns - empty.wall_ns) / (ours.wall_ns - empty.wall_ns).max(1.0);
        let mut figure =
            Figure::new("added by the text collector, to added by us", times, "×").with_goal(MIN_TEXT_FACTOR);
        figure.better = Better::Higher;
        figures.push(figure);
    }
    Ok(figures)
}

/// Measures [`OPTIONS`] against the same program recorded without them.
fn options(tracing: &Tracing<'_>, program: &Path) -> Result<Vec<Figure>> {
    let subject = Subject::new(program, &["40", "500", "1"]);
    let name = "short kernels with options";
    let mut kinds = vec![Recorded::Beside];
    kinds.extend(OPTIONS.map(|(_, variable, value)| Recorded::BesideWith(variable, value)));
    let (least, dropped) = tracing.least_costs(&subject, name, &kinds)?;
    let without = least[0];
    let mut figures = Vec::new();
    for ((option, _, value), with) in OPTIONS.iter().zip(&least[1..]) {
        let name = format!("short kernels with {option} ({value})");
        figures.extend([
            Figure::new(&name, with.wall_ns, "ns").with_baseline(without.wall_ns),
            Figure::new(format!("{name}, submitting thread"), with.threads_ns, "ns")
                .with_baseline(without.threads_ns),
        ]);
    }
    figures.push(Figure::new(format!("{name}, events lost"), dropped, "").with_goal(0.0));
    Ok(figures)
}

fn bytes(tracing: &Tracing<'_>, program: &Path) -> Result<Vec<Figure>> {
    let subject = Subject::new(program, &["20", "500", "1"]);
    let mut figures = Vec::new();
    for detail in ["low", "normal", "high"] {
        let (bytes, events) = tracing.size(&subject, detail)?;
        figures.push(Figure::new(format!("detail {detail}: bytes an event"), bytes / events, "bytes"));
        figures.push(Figure::new(format!("detail {detail}: bytes a kernel"), bytes / 10_000.0, "bytes"));
    }
    Ok(figures)
}

/// Measures the demo from start to end, including the compilation of its kernels.
fn demo(tracing: &Tracing<'_>) -> Result<Vec<Figure>> {
    let subject = Subject::new(&examples::folder(tracing.workspace).join("heat"), &[]);
    say::begins("measuring", "demo", &format!("{TURNS} turns of heat"));
    let mut kinds = vec![Recorded::Not, Recorded::ByNobody, Recorded::ByUs("normal"), Recorded::Beside];
    kinds.extend(OPTIONS.map(|(_, variable, value)| Recorded::BesideWith(variable, value)));
    let mut least = vec![f64::INFINITY; kinds.len()];
    for _ in 0..TURNS {
        for (least, kind) in least.iter_mut().zip(&kinds) {
            *least = least.min(tracing.seconds(&subject, *kind)? * 1e3);
        }
    }
    let [plain, empty, ours, beside] = [least[0], least[1], least[2], least[3]];
    let mut figures = vec![
        Figure::new("demo: not recorded", plain, "ms"),
        Figure::new("demo: empty subscriber", empty, "ms").with_baseline(plain),
        Figure::new("demo: recorded", ours, "ms").with_baseline(empty).with_goal(empty * MAX_RATIO),
        Figure::new("demo: recorded from beside", beside, "ms").with_baseline(empty),
    ];
    for ((option, _, value), with) in OPTIONS.iter().zip(&least[4..]) {
        let name = format!("demo: recorded from beside with {option} ({value})");
        figures.push(Figure::new(name, *with, "ms").with_baseline(beside).with_goal(beside * MAX_RATIO));
    }
    Ok(figures)
}

fn compile(workspace: &Workspace, name: &str, source: &str, flags: &[&str]) -> Result<PathBuf> {
    let made = workspace.target.join("xtask").join(name);
    let path = workspace.target.join("xtask").join(format!("{name}.cpp"));
    files::write(&path, source)?;
    let runtime = sycl::runtime(workspace).link;
    let libraries = runtime.join("lib");
    let mut command = apt::compiler();
    command.args(["-std=c++17", "-O2", "-w", "-I"]).arg(runtime.join("include")).arg(&path);
    command.arg("-L").arg(&libraries).args(flags).arg(format!("-Wl,-rpath,{}", libraries.display()));
    workspace.run(name, command.arg("-o").arg(&made))?;
    Ok(made)
}
