//! `syclscope merge`: several recordings as one, with a process each.

use std::path::{Path, PathBuf};

use super::{CliError, Outcome};
use crate::launch::{self, Format, MergeFailure};
use crate::text;

/// Merge recordings of several processes into one trace
///
/// Each process keeps its tracks, and their times are brought to one clock: exactly for processes of one host, by the
/// hosts' own clocks between hosts. Parts of one recording (record --max-size) become one process again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope merge -o job.pftrace runs/
  syclscope merge -o both.pftrace server.pftrace client.pftrace
  syclscope merge -o job.json node1/ node2/

Of a folder, the files are taken that `record -o FOLDER` names after processes; where there are
none, all traces in it.")]
pub(super) struct Arguments {
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format of the file [default: json where FILE ends so, else perfetto]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Replace FILE if it exists
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    /// Recordings, or folders of them
    #[arg(required = true, value_name = "FILE|FOLDER")]
    inputs: Vec<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let is_output = |path: &Path| same(path, &arguments.output);
    let mut inputs: Vec<PathBuf> = Vec::new();
    for input in &arguments.inputs {
        let found = if input.is_dir() {
            let (found, others) = launch::recordings_in_folder(input)?;
            for other in others.iter().filter(|other| !is_output(other) && !arguments.quiet) {
                eprintln!("syclscope: {} is left out: it is not named after one process", other.display());
            }
            found
        } else {
            vec![input.clone()]
        };
        // Twice named is once meant, and what is written is not read.
        for path in found {
            if !is_output(&path) && !inputs.iter().any(|known| same(known, &path)) {
                inputs.push(path);
            }
        }
    }
    let merged = launch::merge_into(&inputs, &arguments.output, arguments.format, arguments.force)?;
    if !arguments.quiet {
        tell(&merged);
    }
    Ok(Outcome::Success)
}

/// Whether two paths lead to the same file.
fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn tell(merged: &launch::Merged) {
    let inputs = &merged.report.inputs;
    eprintln!(
        "syclscope: {}: {} recordings, {}",
        merged.path.display(),
        text::count(inputs.len() as u64),
        text::bytes(merged.size_bytes)
    );
    for input in inputs {
        let ending = if input.complete { "" } else { ", cut short" };
        eprintln!(
            "syclscope:   {} (process {} on {}) from {} on{ending}: {}",
            text::printable(&input.program, 60),
            input.pid,
            text::printable(&input.host, 60),
            text::duration(input.shift_ns),
            input.name,
        );
    }
    for empty in &merged.report.empty {
        eprintln!("syclscope:   {empty} is empty: its process was ended in its first moment");
    }
    eprintln!("syclscope: look at it with `syclscope open {}`", merged.path.display());
}

impl From<MergeFailure> for CliError {
    fn from(failure: MergeFailure) -> Self {
        Self::Merge(failure)
    }
}
