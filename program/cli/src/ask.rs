//! `syclscope ask`: the answer to one question, for scripts.

use std::fmt::Write as _;
use std::path::PathBuf;

use syclscope_language::question::Question;

use super::{CliError, Outcome, print, reading};
use syclscope_text::steers;

/// Answer a query about a trace, as JSON
///
/// docs/QUERIES.md lists the queries with their parameters and the fields of their answers. The page uses the same
/// ones.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope ask run.pftrace report
  syclscope ask run.pftrace 'select?where=name:gemm&sort=self' | jq '.groups[0].p95_ns'
  syclscope ask run.pftrace 'gaps?limit=10' | jq -r '.gaps[].message'
  syclscope ask run.pftrace 'serialised?limit=10'
  syclscope ask run.pftrace 'graph?level=iterations'

In a question, write a space as %20, & as %26 and + as %2B.")]
pub(super) struct Arguments {
    /// Trace file (Perfetto or Chrome JSON, also compressed), from syclscope or another tool; - for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// The query, as it follows `/api/v1/traces/{id}/` in the server's URLs
    #[arg(value_name = "QUESTION")]
    question: Question,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let trace = reading::trace_or_standard_input(&arguments.path)?;
    let answer = trace.answer(&arguments.question).map_err(|error| CliError::Query { error })?;
    print(&escaped(&answer))
}

/// JSON in which nothing steers a terminal: control characters and marks of direction are written as escapes. (JSON
/// itself asks for that below U+0020 only.)
pub(super) fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if steers(character) && character != '\n' {
            // None of them is beyond the first plane.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_same_json_and_steers_nothing() {
        let json = "{\n \"name\": \"a\u{9b}31m\u{202e}é\"\n}";
        let escaped = escaped(json);
        assert!(escaped.contains("\\u009b31m\\u202eé"), "{escaped}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&escaped), read(json));
    }
}
