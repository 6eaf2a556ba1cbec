//! Speed of imports: the `bench_…` examples of the trace engine, and overlapping slices.

use std::process::Command;

use super::figure::{Better, Figure};
use super::module;
use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::say;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    let mut figures = run_examples(workspace, "trace/engine", "syclscope-engine")?;
    figures.extend(in_wasm(workspace, &figures)?);
    let programs = module::native(workspace)?;
    say::begins("measuring", "overlaps", "slices that are open at once, 10^6 at most");
    figures.extend(Figure::read_lines(&process::answer(&mut Command::new(programs.join("overlaps")))?)?);
    Ok(figures)
}

fn in_wasm(workspace: &Workspace, native: &[Figure]) -> Result<Vec<Figure>> {
    let printed = module::timed_by(workspace, "import.mjs")?;
    let rates: serde_json::Value = serde_json::from_str(printed.trim()).map_err(|error| {
        Failure::new(format!("import.mjs printed no JSON: {error}")).with_output(&printed)
    })?;
    let goals = [("perfetto", 75.0), ("chrome json", 100.0)];
    let figures = goals.map(|(format, goal)| {
        let rate = rates[format].as_f64().unwrap_or_default();
        let name = format!("import {format} in pieces of 1 MiB");
        let mut figure = Figure::new(format!("import {format} in wasm"), rate, "MB/s").with_goal(goal);
        figure.better = Better::Higher;
        match native.iter().find(|figure| figure.name == name) {
            Some(native) => figure.with_baseline(native.value),
            None => figure,
        }
    });
    Ok(figures.into())
}

/// Runs every `bench_*.rs` among the examples of a crate, optimised, and parses the printed metrics.
pub(crate) fn run_examples(workspace: &Workspace, folder: &str, package: &str) -> Result<Vec<Figure>> {
    let examples = workspace.root.join(folder).join("examples");
    let mut names: Vec<String> = std::fs::read_dir(&examples)
        .at("list", &examples)?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| name.starts_with("bench_"))
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(Failure::new(format!("{} holds no bench_*.rs", examples.display())));
    }
    // Builds all of them, because one may load another that is a library.
    say::begins("building", package, "examples, optimised …");
    let mut build = workspace.cargo();
    build.args(["build", "--release", "--locked", "--package", package, "--lib", "--examples"]);
    process::logged(&mut build, &workspace.log(&format!("bench-{package}")), process::PATIENCE)?;
    let mut figures = Vec::new();
    for name in names {
        say::begins("measuring", &name, package);
        let mut command = Command::new(workspace.target.join("release/examples").join(&name));
        command.current_dir(&workspace.root);
        figures.extend(Figure::read_lines(&process::answer(&mut command)?)?);
    }
    Ok(figures)
}
