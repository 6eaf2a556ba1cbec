//! `cargo xtask bench`: metrics with their baselines, and facts about the machine.

mod compare;
mod figure;
mod graph;
mod import;
mod machine;
mod memory;
mod module;
mod page;
mod recorder;
mod scratch;
mod served;
mod tiles;
mod viewers;

use std::io::Write;
use std::path::Path;

use crate::failure::{AtPath, Failure, Result};
use crate::say;
use crate::workspace::Workspace;
use figure::Figure;

type Benchmark = fn(&Workspace) -> Result<Vec<Figure>>;

/// Benchmark of `tiles --large`. It is not part of `all`, because few machines have the memory.
pub(crate) const LARGE: &str = "large";

const BENCHMARKS: &[(&str, Benchmark)] = &[
    ("import", import::run),
    ("tiles", tiles::run),
    (LARGE, tiles::run_large),
    ("memory", memory::run),
    ("served", served::run),
    ("graph", graph::run),
    ("compare", compare::run),
    ("recorder", recorder::run),
    ("page", page::run),
    ("viewers", viewers::run),
];

/// Runs the benchmarks in `names`, separated by commas, or `all`; `json` is a file for the same results as JSON lines.
/// A failure does not stop the others.
pub(crate) fn run(workspace: &Workspace, names: &str, json: Option<&Path>) -> Result<()> {
    let wanted: Vec<&str> = names.split(',').collect();
    if let Some(unknown) =
        wanted.iter().find(|name| **name != "all" && BENCHMARKS.iter().all(|(known, _)| known != *name))
    {
        let known: Vec<&str> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
        return Err(Failure::new(format!("there is no benchmark {unknown}"))
            .with_remedy(format!("one of {}, or all", known.join(", "))));
    }
    let is_wanted = |known: &str| wanted.contains(&known) || (wanted.contains(&"all") && known != LARGE);
    let facts = machine::facts();
    let (mut figures, mut failed) = (Vec::new(), None);
    for (name, benchmark) in BENCHMARKS.iter().filter(|(known, _)| is_wanted(known)) {
        match benchmark(workspace) {
            Ok(measured) => figures.extend(measured),
            Err(failure) => {
                say::begins("failed", name, "its figures are missing below");
                failed = failed.or(Some(failure));
            }
        }
    }
    say::heading("\nmachine");
    for (fact, value) in &facts {
        println!("  {fact:<10} {value}");
    }
    println!("\n{}", figure::table(&figures));
    if let Some(path) = json {
        let mut file = std::fs::File::create(path).at("create", path)?;
        let mut lines = vec![machine::as_json(&facts).to_string()];
        lines.extend(figures.iter().map(|figure| figure.to_json().to_string()));
        for line in lines {
            writeln!(file, "{line}").at("write", path)?;
        }
    }
    failed.map_or(Ok(()), Err)
}
