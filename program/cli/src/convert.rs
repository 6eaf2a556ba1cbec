//! `syclscope convert`: converts a trace to another format.

mod folder;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use syclscope_engine::convert::{self, Passing, START_BYTES, Times};
use syclscope_engine::store::Trace;
use syclscope_engine::tables::parquet::{Table, tables};
use syclscope_language::formats::Format;
use syclscope_system::memory;
use syclscope_text as text;

use super::mode::Mode;
use super::output::{self, OutputError, unwritable};
use super::reading::{self, not_a_trace, unreadable};
use super::{CliError, Outcome, standard_input};

/// Convert a trace to another format
///
/// Reads Perfetto and Chrome JSON traces from any tool, also in gzip, zstd or zip. Recordings of syclscope keep every
/// event between perfetto and json. docs/FORMAT.md lists what each format can't hold, docs/TABLES.md the tables that
/// --to parquet writes.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope convert run.pftrace -o run.json
  syclscope convert run.json.gz --to perfetto -o run.pftrace
  syclscope convert run.pftrace --to fxprof -o run.profile.json
  syclscope convert run.pftrace --to parquet -o run.tables
  zstd -dc run.pftrace.zst | syclscope convert - -o run.json
  syclscope convert runs/ --to json -o converted/
  syclscope convert run.pftrace --to parquet --tables executions,nodes -o run.tables")]
pub(super) struct Arguments {
    /// Trace file, a folder of them, or `-` for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Output format [default: by OUT's extension: .pftrace, .json, .profile.json]
    #[arg(long, value_parser = formats())]
    to: Option<Format>,
    /// Output file; for parquet, the folder of the tables; for a folder, the folder of the files
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// For parquet, write only these tables of docs/TABLES.md, separated by commas [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', hide_possible_values = true, value_parser = table_names())]
    tables: Vec<String>,
    /// Overwrite OUT; for parquet, the tables in it
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(mut arguments: Arguments) -> Result<Outcome, CliError> {
    // A conversion reads its input more than once.
    let _scratch = standard_input::replace(&mut arguments.input)?;
    if arguments.input.is_dir() {
        reading::refuse_tables(&arguments.input)?;
        return folder::run(&arguments);
    }
    let format = match arguments.to.or_else(|| output::format_of(&arguments.output)) {
        Some(target) => target,
        None => {
            let (names, formats) = (".pftrace, .json or .profile.json", "perfetto, json, fxprof or parquet");
            return Err(OutputError::NoFormat { path: arguments.output, names, formats }.into());
        }
    };
    convert_file(&arguments, format)
}

fn convert_file(arguments: &Arguments, format: Format) -> Result<Outcome, CliError> {
    if format == Format::Parquet {
        return to_tables(arguments);
    }
    if !arguments.tables.is_empty() {
        return Err(OutputError::NoTables { format: format.as_str() }.into());
    }
    output::check(&arguments.input, &arguments.output, arguments.force)?;
    let is_own = is_own(&arguments.input)?;
    let problems = output::whole(&arguments.output, |part| convert(arguments, format, is_own, part))?;
    if !arguments.quiet {
        report(arguments, format, is_own, &problems);
    }
    Ok(Outcome::Success)
}

fn to_tables(arguments: &Arguments) -> Result<Outcome, CliError> {
    let path = arguments.output.clone();
    if path.is_file() {
        return Err(OutputError::File { path }.into());
    }
    let holds_something = std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some());
    if holds_something && !arguments.force {
        return Err(OutputError::NotEmpty { path }.into());
    }
    let trace = reading::trace(&arguments.input, arguments.quiet)?;
    let written = write_tables(&trace, &arguments.input, &arguments.tables, &path)?;
    if !arguments.quiet {
        eprintln!("syclscope: {}: {written}", syclscope_text::path(&path));
        report_problems(&problems_of(&trace));
    }
    Ok(Outcome::Success)
}

/// Writes the named tables of a file's trace to a folder, or all tables. Returns a description of the output.
pub(super) fn write_tables(
    trace: &Trace,
    input: &Path,
    names: &[String],
    folder: &Path,
) -> Result<String, CliError> {
    let mode = Mode::read(input).map_err(|error| unreadable(input, &error))?;
    write_to_folder(trace, names, folder, mode).map_err(|error| unwritable(folder, error))
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(Format::ALL.iter().map(|format| format.as_str()));
    names.try_map(|name| Format::from_word(&name).ok_or("no such format"))
}

/// Parses the name of a table; the error lists all tables.
fn table_names() -> PossibleValuesParser {
    PossibleValuesParser::new(syclscope_engine::tables::parquet::names())
}

pub(super) fn is_own(path: &Path) -> Result<bool, CliError> {
    let mut start = Vec::new();
    reading::refuse_tables(path)?;
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    file.take(START_BYTES as u64).read_to_end(&mut start).map_err(|error| unreadable(path, &error))?;
    convert::is_own(&start).map_err(|error| not_a_trace(path, &error))
}

/// Problems of the input: kind, count and message.
pub(super) type Problems = Vec<(String, u64, String)>;

fn convert(arguments: &Arguments, format: Format, is_own: bool, part: &Path) -> Result<Problems, CliError> {
    let unwritable = |error: io::Error| unwritable(&arguments.output, error);
    let mode = Mode::read(&arguments.input).map_err(|error| unreadable(&arguments.input, &error))?;
    let file = mode.create(part).map_err(unwritable)?;
    let out = Box::new(file.try_clone().map_err(unwritable)?);
    let problems = if convert::is_direct(format, is_own) {
        let mut passing = Passing::new(format, Times::Recorded, out, memory::alone());
        reading::pieces(&arguments.input, arguments.quiet, |piece| passing.feed(piece))?;
        let report = passing.finish().map_err(|error| not_a_trace(&arguments.input, &error))?;
        let report = report.map_err(unwritable)?;
        report.diagnostics.infos().map(|info| (info.kind, info.count, info.message)).collect()
    } else {
        let trace = reading::trace(&arguments.input, arguments.quiet)?;
        convert::write(&trace, format, out).map_err(unwritable)?;
        problems_of(&trace)
    };
    file.sync_all().map_err(unwritable)?;
    Ok(problems)
}

pub(super) fn problems_of(trace: &Trace) -> Problems {
    trace.info().diagnostics.into_iter().map(|info| (info.kind, info.count, info.message)).collect()
}

fn report(arguments: &Arguments, format: Format, is_own: bool, problems: &Problems) {
    let size = std::fs::metadata(&arguments.output).map(|metadata| metadata.len()).unwrap_or_default();
    eprintln!("syclscope: {}: {}", arguments.output.display(), text::bytes(size));
    if format == Format::Fxprof {
        eprintln!(
            "syclscope: this format has only slices, arguments and counters; dependences, flows and source files are left out"
        );
    } else if !is_own {
        eprintln!("syclscope: times start at the first event, and overlapping slices are on separate tracks");
    }
    report_problems(problems);
}

pub(super) fn report_problems(problems: &Problems) {
    for (kind, count, message) in problems {
        eprintln!("syclscope: {} × {kind}: {message}", text::count(*count));
    }
}

/// Writes the named tables, or all, to a folder, which is created if needed. Returns a description of the
/// output.
fn write_to_folder(trace: &Trace, names: &[String], folder: &Path, mode: Mode) -> io::Result<String> {
    mode.create_folder(folder)?;
    let (mut files, mut rows, mut bytes) = (0, 0, 0);
    let is_wanted = |table: &Table<'_>| names.is_empty() || names.iter().any(|name| name == table.name());
    for table in tables(trace).into_iter().filter(is_wanted) {
        bytes += write_table(&table, folder, mode)?;
        files += 1;
        rows += table.rows() as u64;
    }
    Ok(format!("{}, {}, {}", text::counted(files, "table"), text::counted(rows, "row"), text::bytes(bytes)))
}

/// Writes a table under a temporary name and renames it, so that the file is never partial. Returns its size
/// in bytes.
fn write_table(table: &Table<'_>, folder: &Path, mode: Mode) -> io::Result<u64> {
    let path = folder.join(format!("{}.parquet", table.name()));
    let part = folder.join(format!("{}.parquet.{}.part", table.name(), std::process::id()));
    let written = mode.create(&part).and_then(|file| {
        let out = table.write(BufWriter::with_capacity(1 << 20, file))?;
        let file = out.into_inner()?;
        file.sync_all()?;
        fs::rename(&part, &path)?;
        Ok(file.metadata()?.len())
    });
    written.inspect_err(|_| drop(fs::remove_file(&part)))
}
