//! `syclscope summary`: what a trace holds, on the terminal.

pub(super) mod table;

use std::io::Write as _;
use std::path::PathBuf;

use super::{CliError, Outcome};
use crate::trace_cache::{self, LoadError};

/// Print what a trace holds: kernels with their device time, queues, memory, problems
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope summary run.pftrace
  syclscope summary --json run.pftrace | jq '.kernels[0]'")]
pub(super) struct Arguments {
    /// A trace (Perfetto or Chrome JSON)
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Print JSON: the answer of /api/v1/traces/ID, times in ns and sizes in bytes
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let path = arguments.path;
    let trace = trace_cache::load_file(&path).map_err(|error| match error {
        LoadError::Read(error) => CliError::Unreadable { path: path.clone(), error: error.to_string() },
        other => CliError::NotATrace { path: path.clone(), error: other.to_string() },
    })?;
    let info = trace.info();
    let mut text = if arguments.json {
        serde_json::to_string_pretty(&info).map_err(|error| CliError::Print { error: error.into() })?
    } else {
        table::lines(&path.display().to_string(), &info).join("\n")
    };
    text.push('\n');
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        // Who reads only the first lines (`| head`) has what they wanted.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Outcome::Success),
        Err(error) => Err(CliError::Print { error }),
        Ok(()) => Ok(Outcome::Success),
    }
}
