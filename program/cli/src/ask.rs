//! `syclscope ask`: answers a query, for scripts.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufRead as _, ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use syclscope_engine::cancel;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::question::RangedQuestion;
use syclscope_system::memory;
use syclscope_text::{safe, steers};

use super::{CliError, Outcome, convert, print, reading, standard_input};

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
  syclscope ask run.pftrace 'critical_path?iterations=5-120'
  syclscope ask run.pftrace 'serialised?limit=10'
  syclscope ask run.pftrace 'graph?level=iterations'

In a question, write a space as %20, & as %26 and + as %2B.")]
pub(super) struct Arguments {
    /// Trace file (Perfetto or Chrome JSON, also compressed), from syclscope or another tool; - for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// The query, as in the server's URLs after `/api/v1/traces/{id}/`
    #[arg(value_name = "QUESTION", required_unless_present = "lines")]
    question: Option<RangedQuestion>,
    /// Read queries from standard input, one per line, and answer each with a line: {"answer":…} or
    /// {"error":…,"code":…}
    #[arg(long, hide = true, conflicts_with = "question")]
    lines: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let Some(question) = arguments.question else {
        if standard_input::is_named(&arguments.path) {
            return Err(CliError::LinesTaken);
        }
        return answer_lines(&reading::trace(&arguments.path, true)?, &arguments.path);
    };
    let trace = reading::trace_or_standard_input(&arguments.path)?;
    let answered = answer(&trace, &question).map_err(|error| CliError::Query { error })?;
    print(&escaped(&answered))
}

/// Answers queries until standard input ends, reading the trace only once.
fn answer_lines(trace: &Trace, path: &Path) -> Result<Outcome, CliError> {
    let mut out = std::io::stdout().lock();
    let mut incoming = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = incoming.read_until(b'\n', &mut line).map_err(|error| CliError::Conversation { error })?;
        if read == 0 {
            return Ok(Outcome::Success);
        }
        let answer = answer_line(trace, path, line.strip_suffix(b"\n").unwrap_or(&line));
        match writeln!(out, "{answer}").and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Outcome::Success),
            sent => sent.map_err(|error| CliError::Conversation { error })?,
        }
    }
}

/// Prefix of a line that requests tables. Their names, separated by commas, a tab and a folder follow.
const TABLES: &[u8] = b"\ttables\t";

/// Returns the answer to a line, or the error with the exit code that the command would have.
fn answer_line(trace: &Trace, path: &Path, line: &[u8]) -> String {
    let answered = match line.strip_prefix(TABLES) {
        Some(order) => write_tables(trace, path, order),
        None => answer_query(trace, line),
    };
    answered.unwrap_or_else(|(text, code)| {
        let text = serde_json::Value::from(safe(&text));
        format!("{{\"error\":{},\"code\":{code}}}", escaped(&text.to_string()))
    })
}

/// Exit code for a wrong command line.
const WRONG: u8 = 2;

fn answer_query(trace: &Trace, line: &[u8]) -> Result<String, (String, u8)> {
    let text = std::str::from_utf8(line).map_err(|_| ("the query is not valid UTF-8".to_owned(), WRONG))?;
    let question: RangedQuestion = text.parse().map_err(|error| (format!("{error}"), WRONG))?;
    let answered = answer(trace, &question).map_err(|error| failed(&CliError::Query { error }))?;
    Ok(format!("{{\"answer\":{}}}", escaped(&answered)))
}

/// Exports tables like `convert --to parquet --tables … --force`, without reading the trace again.
fn write_tables(trace: &Trace, path: &Path, order: &[u8]) -> Result<String, (String, u8)> {
    let wrong = || ("expected names of tables and a folder".to_owned(), WRONG);
    let place = order.iter().position(|byte| *byte == b'\t').ok_or_else(wrong)?;
    let (names, folder) = (&order[..place], Path::new(OsStr::from_bytes(&order[place + 1..])));
    let names: Vec<String> =
        std::str::from_utf8(names).map_err(|_| wrong())?.split(',').map(str::to_owned).collect();
    let known = syclscope_engine::tables::parquet::names();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err((format!("no table `{name}`; the tables are {}", known.join(", ")), WRONG));
    }
    let written = convert::write_tables(trace, path, &names, folder).map_err(|error| failed(&error))?;
    Ok(format!("{{\"answer\":{}}}", escaped(&serde_json::Value::from(written).to_string())))
}

fn failed(error: &CliError) -> (String, u8) {
    (error.to_string(), error.exit_code())
}

/// Returns JSON that is safe on a terminal: control characters and direction marks become escapes.
pub(super) fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if steers(character) && character != '\n' {
            // All of them are in the Basic Multilingual Plane.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Answers a query about a trace, for every command that takes arbitrary queries.
pub(super) fn answer(trace: &Trace, question: &RangedQuestion) -> Result<String, QueryError> {
    alone(|| syclscope_sql::answer(trace, &trace.question(question)?))
}

/// Runs `work` with the memory budget of a process that has no other work.
pub(super) fn alone<T>(work: impl FnOnce() -> Result<T, QueryError>) -> Result<T, QueryError> {
    cancel::within_memory(&memory::alone(), work)?
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
