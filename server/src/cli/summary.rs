//! `syclscope summary`: what a trace holds, on the terminal or for scripts.

mod calls;
mod csv;
pub(super) mod table;

use std::io::Write as _;
use std::path::PathBuf;

use syclscope_trace::source::TraceSource as _;

use super::{CliError, Outcome};
use crate::trace_cache::{self, LoadError};

/// Print what a trace holds: kernels with their device time, queues, memory, problems
///
/// With --calls: every call of the Unified Runtime (or its forerunner, PI) and of the native API below it, by name.
/// The column `errors` counts calls that returned something other than success. Not all of these are failures: the
/// runtime asks for features that it can do without, `urProgramBuildExp` for one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope summary run.pftrace
  syclscope summary --format csv run.pftrace > kernels.csv
  syclscope summary --format json run.pftrace | jq '.kernels[0]'
  syclscope summary --calls --sort count run.pftrace
  syclscope summary --calls --of runtime --format csv run.pftrace | cut -d, -f1,2

CSV has one line for each kernel or call, times in ns:
  name,kind,count,total_ns,min_ns,mean_ns,max_ns
  name,count,errors,total_ns,mean_ns,min_ns,max_ns,unfinished,kind          (--calls)
JSON is the answer of /api/v1/traces/ID, and with --calls a list with the same names as CSV.")]
pub(super) struct Arguments {
    /// A trace (Perfetto or Chrome JSON)
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Calls by name, in place of kernels
    #[arg(long)]
    calls: bool,
    /// Which calls: the runtime's (Unified Runtime or PI), the native API's below it, or both
    #[arg(long, value_enum, value_name = "CALLS", default_value = "all", requires = "calls")]
    of: calls::Of,
    /// Order of the calls
    #[arg(long, value_enum, value_name = "COLUMN", default_value = "total", requires = "calls")]
    sort: calls::Sort,
}

/// How to print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table for people.
    Text,
    /// A line for each kernel or call, for spreadsheets and scripts.
    Csv,
    /// JSON, for scripts.
    Json,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let path = &arguments.path;
    let trace = trace_cache::open_file(path).map_err(|error| match error {
        LoadError::Read(error) => CliError::Unreadable { path: path.clone(), error: error.to_string() },
        other => CliError::NotATrace { path: path.clone(), error: other.to_string() },
    })?;
    let format = if arguments.json { Format::Json } else { arguments.format };
    let text = if arguments.calls {
        let calls = calls::select(trace.calls(), arguments.of, arguments.sort);
        match format {
            Format::Text => calls::table(&calls).join("\n"),
            Format::Csv => csv::calls(&calls),
            Format::Json => calls::json(&calls).map_err(|error| CliError::Print { error: error.into() })?,
        }
    } else {
        let info = trace.info();
        match format {
            Format::Text => table::lines(&path.display().to_string(), &info).join("\n"),
            Format::Csv => csv::kernels(&info.kernels),
            Format::Json => serde_json::to_string_pretty(&info)
                .map_err(|error| CliError::Print { error: error.into() })?,
        }
    };
    print(text.trim_end())
}

fn print(text: &str) -> Result<Outcome, CliError> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        // Who reads only the first lines (`| head`) has what they wanted.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Outcome::Success),
        Err(error) => Err(CliError::Print { error }),
        Ok(()) => Ok(Outcome::Success),
    }
}
