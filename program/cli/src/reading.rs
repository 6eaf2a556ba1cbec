//! Reads a trace in pieces, with a progress bar on a terminal.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use syclscope_engine::import::{ImportError, TraceImporter};
use syclscope_engine::store::Trace;

use super::CliError;
use super::compare::baseline_file;
use super::progress::Progress;
use super::standard_input;
use syclscope_system::memory;

const PIECE_BYTES: usize = 1 << 20;

/// Number of bytes that suffice to recognise formats that syclscope writes but does not read.
const START_BYTES: u64 = 64 << 10;

/// Text in the first lines of every profile for the Firefox Profiler.
const PROFILE: &[u8] = b"\"preprocessedProfileVersion\"";

pub(super) fn trace(path: &Path, quiet: bool) -> Result<Trace, CliError> {
    let mut importer = TraceImporter::within(memory::alone());
    pieces(path, quiet, |piece| importer.feed(piece))?;
    importer.finish().map_err(|error| not_a_trace(path, &error))
}

/// Reads the trace in a file, or in standard input for `-`.
pub(super) fn trace_or_standard_input(path: &Path) -> Result<Trace, CliError> {
    if !standard_input::is_named(path) {
        return trace(path, false);
    }
    let mut importer = TraceImporter::within(memory::alone());
    let name = Path::new(standard_input::NAME);
    feed_from(&mut std::io::stdin().lock(), name, Progress::new(0, true), |piece| importer.feed(piece))?;
    importer.finish().map_err(|error| not_a_trace(name, &error))
}

pub(super) fn pieces(
    path: &Path,
    quiet: bool,
    feed: impl FnMut(&[u8]) -> Result<(), ImportError>,
) -> Result<(), CliError> {
    refuse_tables(path)?;
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let metadata = file.metadata();
    if metadata.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
        return Err(CliError::Folder { path: path.to_owned() });
    }
    let total = metadata.map(|metadata| metadata.len()).unwrap_or_default();
    feed_from(&mut file, path, Progress::new(total, quiet), feed)
}

fn feed_from(
    source: &mut impl Read,
    path: &Path,
    mut progress: Progress,
    mut feed: impl FnMut(&[u8]) -> Result<(), ImportError>,
) -> Result<(), CliError> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = source.read(&mut piece).map_err(|error| unreadable(path, &error))?;
        if read == 0 {
            return Ok(());
        }
        feed(&piece[..read]).map_err(|error| not_a_trace(path, &error))?;
        progress.add(read as u64);
    }
}

/// Rejects a folder of tables, which syclscope writes but does not read.
pub(super) fn refuse_tables(path: &Path) -> Result<(), CliError> {
    let holds_table = |name: &str| path.join(format!("{name}.parquet")).exists();
    if path.is_dir() && syclscope_engine::tables::parquet::names().into_iter().any(holds_table) {
        return Err(CliError::OneWay { path: path.to_owned(), what: "a folder of tables" });
    }
    Ok(())
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    match error.kind() {
        std::io::ErrorKind::IsADirectory => CliError::Folder { path: path.to_owned() },
        _ => CliError::Unreadable { path: path.to_owned(), error: error.to_string() },
    }
}

pub(super) fn not_a_trace(path: &Path, error: &ImportError) -> CliError {
    let path = path.to_owned();
    let start = start_of(&path).unwrap_or_default();
    if baseline_file::is_baseline(&start) {
        return CliError::Baseline { path };
    }
    match one_way(&start) {
        Some(what) => CliError::OneWay { path, what },
        None => CliError::NotATrace { path, error: error.to_string() },
    }
}

fn start_of(path: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(START_BYTES).read_to_end(&mut start).ok()?;
    Some(start)
}

/// Recognises, from its first bytes, a kind of file that syclscope writes but does not read.
fn one_way(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"PAR1") {
        return Some("a Parquet table");
    }
    let is_profile = start.windows(PROFILE.len()).any(|part| part == PROFILE);
    is_profile.then_some("a profile for the Firefox Profiler")
}
