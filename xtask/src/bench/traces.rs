//! Benchmarks of large traces: the programs of `bench/` natively, its WebAssembly module in node with the scripts of
//! `e2e/bench`, and the page in Chromium.

use super::figure::{Better, Figure};
use crate::artefacts::page;
use crate::artefacts::program::{self, Profile};
use crate::files::Scratch;
use crate::prelude::*;
use crate::setup::rustup::{self, WASM};
use crate::setup::{self, Scope, npm};
use crate::test::end_to_end;

type Figures = Result<Vec<Figure>>;

/// Measures the speed of imports: the `bench_…` examples of the trace engine, and overlapping slices.
pub(super) fn import(workspace: &Workspace) -> Figures {
    let mut figures = run_examples(workspace, "trace/engine", "syclscope-engine")?;
    let rates = process::json(&in_node(workspace, "import.mjs")?)?;
    for (format, goal) in [("perfetto", 75.0), ("chrome json", 100.0)] {
        let rate = rates[format].as_f64().unwrap_or_default();
        let mut figure = Figure::new(format!("import {format} in wasm"), rate, "MB/s").with_goal(goal);
        figure.better = Better::Higher;
        let name = format!("import {format} in pieces of 1 MiB");
        figure.baseline = figures.iter().find(|figure| figure.name == name).map(|native| native.value);
        figures.push(figure);
    }
    figures.extend(native(workspace, "overlaps", &[], "slices that are open at once, 10^6 at most")?);
    Ok(figures)
}

/// Measures the memory of large traces, and the latency of screens of tiles: natively and in WebAssembly.
pub(super) fn tiles(workspace: &Workspace) -> Figures {
    let mut figures = native(workspace, "tiles", &[], "10^5, 10^6 and 10^7 slices")?;
    figures.extend(Figure::read_lines(&in_node(workspace, "tiles.mjs")?)?);
    Ok(figures)
}

/// Measures the same for 10⁸ slices, which takes 12 GB of memory and minutes.
pub(super) fn large_tiles(workspace: &Workspace) -> Figures {
    native(workspace, "tiles", &["--large".as_ref()], "10^8 slices")
}

pub(super) fn memory(workspace: &Workspace) -> Figures {
    let mut figures = native(workspace, "memory", &[], "10^6 allocations")?;
    figures.extend(Figure::read_lines(&in_node(workspace, "memory.mjs")?)?);
    Ok(figures)
}

/// Measures the cost of a large hosted trace after a restart of its server, through HTTP.
pub(super) fn served(workspace: &Workspace) -> Figures {
    setup::run(workspace, Scope::Page)?;
    let program = program::build(workspace)?;
    native(workspace, "served", &[&program], "10^7 slices, uploaded and hosted")
}

/// Measures the cost of task graph drawings: natively, in WebAssembly, and on a page in Chromium.
pub(super) fn graph(workspace: &Workspace) -> Figures {
    let mut figures = native(workspace, "graph", &[], "1,000, 10,000 and 50,000 nodes")?;
    figures.extend(Figure::read_lines(&in_node(workspace, "graph.mjs")?)?);
    build_page(workspace)?;
    figures.extend(in_chromium(
        workspace,
        "graph",
        &["bench/graph_page.mjs".as_ref()],
        "50,000 nodes in Chromium",
    )?);
    Ok(figures)
}

pub(super) fn compare(workspace: &Workspace) -> Figures {
    native(workspace, "compare", &[], "two runs of 10^4, 10^5 and 10^6 commands")
}

/// Measures the cost of the page: transferred bytes, the first picture of a hosted trace, frames during movements at
/// any trace size, and a large local file.
pub(super) fn page(workspace: &Workspace) -> Figures {
    build_page(workspace)?;
    let files = page::Files::read(&page::folder(workspace))?;
    let mut figures = Vec::new();
    for (name, files) in [
        ("page", &files.first_load),
        ("views loaded later", &files.views),
        ("engine for local files", &files.engine),
    ] {
        let (raw_bytes, brotli_bytes) = page::raw_and_brotli_bytes(files)?;
        let figure = Figure::new(format!("{name}, with brotli"), brotli_bytes as f64, "bytes");
        figures.push(figure.with_baseline(raw_bytes as f64).with_goal(600e3));
    }
    let (folder, printed) = recordings(workspace, "bench-page")?;
    figures.extend(Figure::read_lines(&printed)?);
    figures.extend(in_chromium(workspace, "page", &["bench/page.mjs".as_ref(), &folder], "in Chromium")?);
    Ok(figures)
}

/// Measures the latency for many viewers of one large trace: two server instances behind nginx, all on this machine.
pub(super) fn viewers(workspace: &Workspace) -> Figures {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    let (folder, _) = recordings(workspace, "bench-viewers")?;
    let (viewers, trace) = (programs(workspace).join("viewers"), folder.join("large.pftrace"));
    let words = ["bench/viewers.mjs".as_ref(), &*viewers, &*trace];
    in_chromium(workspace, "viewers", &words, "100 and 1,000, for a minute each")
}

/// Runs every `bench_*.rs` among the examples of a crate, optimised, and parses the printed metrics.
pub(super) fn run_examples(workspace: &Workspace, folder: &str, package: &str) -> Figures {
    let examples = workspace.root.join(folder).join("examples");
    let mut names: Vec<String> = files::entries(&examples)?
        .iter()
        .filter(|file| files::has_extension(file, "rs"))
        .map(|file| files::stem(file))
        .collect();
    names.retain(|name| name.starts_with("bench_"));
    if names.is_empty() {
        return Err(Failure::new(format!("{} holds no bench_*.rs", examples.display())));
    }
    // Builds all of them, because one may load another that is a library.
    say::begins("building", package, "examples, optimised …");
    let mut build = workspace.cargo();
    build.args(["build", "--release", "--locked", "--package", package, "--lib", "--examples"]);
    workspace.run(&format!("bench-{package}"), &mut build)?;
    let mut figures = Vec::new();
    for name in names {
        say::begins("measuring", &name, package);
        let mut command = Command::new(workspace.target.join("release/examples").join(&name));
        figures.extend(figures_of(command.current_dir(&workspace.root))?);
    }
    Ok(figures)
}

fn figures_of(command: &mut Command) -> Figures {
    Figure::read_lines(&process::answer(command)?)
}

fn native(workspace: &Workspace, name: &str, arguments: &[&Path], about: &str) -> Figures {
    build(workspace)?;
    say::begins("measuring", name, about);
    figures_of(Command::new(programs(workspace).join(name)).args(arguments))
}

fn build(workspace: &Workspace) -> Result<()> {
    say::begins("building", "bench", "optimised …");
    workspace.run("bench-native", &mut cargo(workspace))
}

fn cargo(workspace: &Workspace) -> Command {
    let mut build = workspace.cargo();
    build.args(["build", "--release", "--locked", "--manifest-path", "bench/Cargo.toml", "--target-dir"]);
    build.arg(workspace.target.join("bench"));
    build
}

fn programs(workspace: &Workspace) -> PathBuf {
    workspace.target.join("bench/release")
}

/// Builds the crate `bench` as a WebAssembly module, runs a script of `e2e/bench` with it, and returns the output.
fn in_node(workspace: &Workspace, script: &str) -> Result<String> {
    setup::bring(&npm::node(workspace, npm::MIN_NODE_FOR_PAGE))?;
    setup::bring(&rustup::wasm_target(workspace))?;
    say::begins("building", "bench", "for WebAssembly …");
    workspace.run("bench-wasm", cargo(workspace).args(["--lib", "--target", WASM]))?;
    say::begins("measuring", script, "in node");
    let module = workspace.target.join("bench").join(WASM).join("release/syclscope_bench.wasm");
    process::answer(Command::new("node").arg(workspace.root.join("e2e/bench").join(script)).arg(module))
}

fn build_page(workspace: &Workspace) -> Result<()> {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    page::build_for_tests(workspace).map(|_| ())
}

fn in_chromium(workspace: &Workspace, name: &str, arguments: &[&Path], about: &str) -> Figures {
    say::begins("measuring", name, about);
    let mut command = Command::new("node");
    end_to_end::prepare(workspace, Profile::Release, command.args(arguments))?;
    figures_of(&mut command)
}

/// Writes recordings of a gigabyte into a folder; returns it with the printed figures.
fn recordings(workspace: &Workspace, name: &str) -> Result<(Scratch, String)> {
    build(workspace)?;
    let folder = Scratch::new(workspace.target.join("xtask").join(name))?;
    say::begins("writing", "recordings", "of 10^5 and 10^7 slices, and of 200 MB");
    let printed = process::answer(Command::new(programs(workspace).join("recordings")).arg(&*folder))?;
    Ok((folder, printed))
}
