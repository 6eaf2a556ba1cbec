//! `syclscope merge`: merges recordings into one trace with a process for each.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{CliError, Outcome, standard_input};
use syclscope_launcher as launcher;
use syclscope_launcher::{Format, MergeFailure};
use syclscope_text as text;

/// Merge recordings of several processes into one trace
///
/// Each process keeps its tracks. Times are converted to one clock: exactly between processes of one host, by the
/// hosts' own clocks between hosts. Parts of one recording (record --max-size) become one process again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope merge -o job.pftrace runs/
  syclscope merge -o both.pftrace server.pftrace client.pftrace
  syclscope merge -o job.json node1/ node2/

From a folder, merge takes the files that `record -o FOLDER` names after processes, or all traces
where it finds no such file.")]
pub(super) struct Arguments {
    /// Output file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Output format [default: json if FILE ends in .json, else perfetto]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Overwrite FILE
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    /// Recordings, or folders of them; - for a recording from standard input
    #[arg(required = true, value_name = "FILE|FOLDER")]
    inputs: Vec<PathBuf>,
}

pub(super) fn run(mut arguments: Arguments) -> Result<Outcome, CliError> {
    standard_input::check(&arguments.inputs)?;
    let named = arguments.inputs.iter_mut().find(|input| standard_input::is_named(input));
    let _scratch = named.map(standard_input::replace).transpose()?;
    let is_output = |path: &Path| same(path, &arguments.output);
    let mut inputs: Vec<PathBuf> = Vec::new();
    let mut known: HashSet<PathBuf> = HashSet::new();
    for input in &arguments.inputs {
        let found = if input.is_dir() {
            let (found, others) = launcher::recordings_in_folder(input)?;
            for other in others.iter().filter(|other| !is_output(other) && !arguments.quiet) {
                eprintln!(
                    "syclscope: skipped {}: its name is not that of a process's recording",
                    text::path(other)
                );
            }
            found
        } else {
            vec![input.clone()]
        };
        // A file that is named twice counts once, and the output is not an input.
        for path in found {
            let is_known = path.canonicalize().is_ok_and(|real| !known.insert(real));
            if !is_output(&path) && !is_known {
                inputs.push(path);
            }
        }
    }
    let merged = launcher::merge_into(&inputs, &arguments.output, arguments.format, arguments.force)?;
    if !arguments.quiet {
        report(&merged);
    }
    Ok(Outcome::Success)
}

fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn report(merged: &launcher::Merged) {
    let inputs = &merged.report.inputs;
    eprintln!(
        "syclscope: {}: {}, {}",
        text::path(&merged.path),
        text::counted(inputs.len() as u64, "recording"),
        text::bytes(merged.size_bytes)
    );
    for input in inputs {
        let ending = if input.complete { "" } else { ", cut short" };
        let rank = input.rank.map_or_else(String::new, |rank| format!("rank {rank} · "));
        eprintln!(
            "syclscope:   {rank}{} (process {} on {}) starts at {}{ending}: {}",
            text::printable(&input.program, 60),
            input.pid,
            text::printable(&input.host, 60),
            text::duration(input.shift_ns),
            text::printable(&input.name, 200),
        );
    }
    for copy in &merged.report.copies {
        eprintln!("syclscope:   {} is left out: it is a copy of another input", text::printable(copy, 200));
    }
    for empty in &merged.report.empty {
        let empty = text::printable(empty, 200);
        eprintln!("syclscope:   {empty} is empty: its process ended before it recorded anything");
    }
    let word = text::shell_word(&text::path(&merged.path));
    eprintln!("syclscope: to view it: `syclscope open {word}`");
}

impl From<MergeFailure> for CliError {
    fn from(failure: MergeFailure) -> Self {
        Self::Merge(failure)
    }
}
