//! `syclscope ask`: the answer to one question, for scripts.

use std::path::PathBuf;

use syclscope_language::question::Question;

use super::{CliError, Outcome, print, reading};

/// Print the answer to a question about a trace, as JSON
///
/// The questions are those of the page to its server: docs/QUERIES.md lists them with their parameters and the fields
/// of their answers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope ask run.pftrace report
  syclscope ask run.pftrace 'select?where=name:gemm&sort=self' | jq '.groups[0].p95_ns'
  syclscope ask run.pftrace 'serialised?limit=10'
  syclscope ask run.pftrace 'graph?level=iterations'

In a question, write a space as %20, & as %26 and + as %2B.")]
pub(super) struct Arguments {
    /// A trace (Perfetto or Chrome JSON, also compressed), of syclscope or another tool
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// The question, as it follows `/api/v1/traces/{id}/` in the server's addresses
    #[arg(value_name = "QUESTION")]
    question: Question,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let trace = reading::trace(&arguments.path, false)?;
    let answer = trace.answer(&arguments.question).map_err(|error| CliError::Query { error })?;
    print(&answer)
}
