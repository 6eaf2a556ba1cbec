//! `syclscope convert`: a trace in another format.

mod mode;
mod tables;
mod writing;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use syclscope_engine::export::{Exporter, chrome_json, perfetto};
use syclscope_engine::fxprof;
use syclscope_engine::import::{ImportReport, Importer};
use syclscope_engine::replay::replay;
use syclscope_engine::store::Trace;
use syclscope_language::event::{Event, EventSink};

use self::mode::Mode;
use self::writing::Writing;
use super::reading::{self, not_a_trace, unreadable};
use super::{CliError, Outcome};
use crate::text;

/// Write a trace in another format
///
/// Reads every trace that syclscope reads (Perfetto, Chrome JSON; also gzip, zstd, zip), from any tool. Recordings of
/// syclscope keep every event between perfetto and json. docs/FORMAT.md says what each format can't hold,
/// docs/TABLES.md which tables --to parquet writes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope convert run.pftrace -o run.json
  syclscope convert run.json.gz --to perfetto -o run.pftrace
  syclscope convert run.pftrace --to fxprof -o run.profile.json
  syclscope convert run.pftrace --to parquet -o run.tables")]
pub(super) struct Arguments {
    /// Trace to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Format to write [default: by OUT's name: .pftrace, .json, .profile.json]
    #[arg(long, value_enum)]
    to: Option<Target>,
    /// File to write; for parquet, the folder of the tables
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT if it exists; for parquet, the tables in it
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    /// Perfetto protobuf.
    Perfetto,
    /// Chrome trace event JSON.
    Json,
    /// Firefox Profiler's processed profile.
    Fxprof,
    /// Apache Parquet, one file per table: for DuckDB, pandas and SQL engines.
    Parquet,
}

/// Why a trace was not converted.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConvertError {
    #[error(
        "the name {} does not say which format to write: use .pftrace, .json or .profile.json, or choose one with --to perfetto, json, \
         fxprof or parquet",
        path.display()
    )]
    NoFormat { path: PathBuf },
    #[error("{} is both input and output: choose another file with -o", path.display())]
    SameFile { path: PathBuf },
    #[error("{} exists already: choose another file with -o, or replace it with --force", path.display())]
    Exists { path: PathBuf },
    #[error("{} is a folder: name a file with -o", path.display())]
    Folder { path: PathBuf },
    #[error("{} is a file, but tables go into a folder: choose one with -o", path.display())]
    File { path: PathBuf },
    #[error("{} is not empty: choose another folder with -o, or replace its tables with --force", path.display())]
    NotEmpty { path: PathBuf },
    #[error("{} can't be written: {error}", path.display())]
    Unwritable { path: PathBuf, error: std::io::Error },
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let target = match arguments.to.or_else(|| target_of(&arguments.output)) {
        Some(target) => target,
        None => return Err(ConvertError::NoFormat { path: arguments.output }.into()),
    };
    if target == Target::Parquet {
        return to_tables(&arguments);
    }
    check_output(&arguments)?;
    let is_own = is_own(&arguments.input)?;
    // Nobody takes a half-written file for a trace.
    let mut part = arguments.output.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let converted = convert(&arguments, target, is_own, &part);
    let finished = converted.and_then(|report| {
        std::fs::rename(&part, &arguments.output).map_err(|error| unwritable(&arguments.output, error))?;
        Ok(report)
    });
    if finished.is_err() {
        // The file may not exist yet.
        let _ = std::fs::remove_file(&part);
    }
    let problems = finished?;
    if !arguments.quiet {
        report(&arguments, target, is_own, &problems);
    }
    Ok(Outcome::Success)
}

/// Writes a folder of tables.
fn to_tables(arguments: &Arguments) -> Result<Outcome, CliError> {
    let path = arguments.output.clone();
    if path.is_file() {
        return Err(ConvertError::File { path }.into());
    }
    let holds_something = std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some());
    if holds_something && !arguments.force {
        return Err(ConvertError::NotEmpty { path }.into());
    }
    let trace = reading::trace(&arguments.input, arguments.quiet)?;
    let mode = Mode::of(&arguments.input).map_err(|error| unreadable(&arguments.input, &error))?;
    let written = tables::write(&trace, &path, mode).map_err(|error| unwritable(&path, error))?;
    if !arguments.quiet {
        eprintln!("syclscope: {}: {written}", path.display());
        report_problems(&problems_of(&trace));
    }
    Ok(Outcome::Success)
}

fn target_of(output: &Path) -> Option<Target> {
    let name = output.file_name()?.to_str()?.to_ascii_lowercase();
    if name.ends_with(".profile.json") {
        return Some(Target::Fxprof);
    }
    match output.extension().and_then(OsStr::to_str)?.to_ascii_lowercase().as_str() {
        "pftrace" | "perfetto-trace" => Some(Target::Perfetto),
        "json" => Some(Target::Json),
        _ => None,
    }
}

fn check_output(arguments: &Arguments) -> Result<(), ConvertError> {
    let path = arguments.output.clone();
    if path.is_dir() {
        return Err(ConvertError::Folder { path });
    }
    if let (Ok(input), Ok(output)) = (arguments.input.canonicalize(), path.canonicalize())
        && input == output
    {
        return Err(ConvertError::SameFile { path });
    }
    if path.exists() && !arguments.force {
        return Err(ConvertError::Exists { path });
    }
    Ok(())
}

fn unwritable(path: &Path, error: std::io::Error) -> CliError {
    ConvertError::Unwritable { path: path.to_owned(), error }.into()
}

/// Drops every event.
struct Discard;

impl EventSink for Discard {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// Whether a file is a recording of syclscope; its first megabyte shows that.
fn is_own(path: &Path) -> Result<bool, CliError> {
    let mut importer = Importer::new(Discard);
    let mut start = Vec::new();
    reading::refuse_tables(path)?;
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    file.take(1 << 20).read_to_end(&mut start).map_err(|error| unreadable(path, &error))?;
    importer
        .feed(&start)
        .and_then(|()| importer.finish())
        .map_err(|error| not_a_trace(path, &error))
        .map(|(_, report)| report.own_convention)
}

/// Problems of the input: kind, count and message.
type Problems = Vec<(String, u64, String)>;

fn convert(arguments: &Arguments, target: Target, is_own: bool, part: &Path) -> Result<Problems, CliError> {
    let mode = Mode::of(&arguments.input).map_err(|error| unreadable(&arguments.input, &error))?;
    let file = mode.create(part).map_err(|error| unwritable(&arguments.output, error))?;
    match (target, is_own) {
        (Target::Perfetto, true) => event_by_event::<perfetto::Writer>(arguments, file),
        (Target::Json, true) => event_by_event::<chrome_json::Writer>(arguments, file),
        _ => through_the_store(arguments, target, file),
    }
}

/// Recordings of syclscope are ordered, so they are never held in memory as a whole.
fn event_by_event<W: Exporter + Default>(arguments: &Arguments, file: File) -> Result<Problems, CliError> {
    let mut importer = Importer::new(Writing::new(W::default(), file));
    reading::pieces(&arguments.input, arguments.quiet, |piece| importer.feed(piece))?;
    let (writing, report) = importer.finish().map_err(|error| not_a_trace(&arguments.input, &error))?;
    writing.finish().map_err(|error| unwritable(&arguments.output, error))?;
    let ImportReport { diagnostics, .. } = report;
    Ok(diagnostics.infos().map(|info| (info.kind, info.count, info.message)).collect())
}

/// Other programs' files are in any order: the store sorts them.
fn through_the_store(arguments: &Arguments, target: Target, file: File) -> Result<Problems, CliError> {
    let trace = reading::trace(&arguments.input, arguments.quiet)?;
    let written = match target {
        Target::Perfetto => {
            let mut writing = Writing::new(perfetto::Writer::new(), file);
            replay(&trace, &mut writing);
            writing.finish()
        }
        Target::Json => {
            let mut writing = Writing::new(chrome_json::Writer::new(), file);
            replay(&trace, &mut writing);
            writing.finish()
        }
        Target::Fxprof => {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            fxprof::write(&trace, &mut out).and_then(|()| out.flush())
        }
        // `run` writes tables without this function.
        Target::Parquet => Err(std::io::ErrorKind::IsADirectory.into()),
    };
    written.map_err(|error| unwritable(&arguments.output, error))?;
    Ok(problems_of(&trace))
}

fn problems_of(trace: &Trace) -> Problems {
    trace.info().diagnostics.into_iter().map(|info| (info.kind, info.count, info.message)).collect()
}

fn report(arguments: &Arguments, target: Target, is_own: bool, problems: &Problems) {
    let size = std::fs::metadata(&arguments.output).map(|metadata| metadata.len()).unwrap_or_default();
    eprintln!("syclscope: {}: {}", arguments.output.display(), text::bytes(size));
    if target == Target::Fxprof {
        eprintln!(
            "syclscope: this format holds slices, arguments and counters; dependences, flows and source files are left out"
        );
    } else if !is_own {
        eprintln!("syclscope: times start at the first event, and overlapping slices are on separate tracks");
    }
    report_problems(problems);
}

fn report_problems(problems: &Problems) {
    for (kind, count, message) in problems {
        eprintln!("syclscope: {} × {kind}: {message}", text::count(*count));
    }
}
