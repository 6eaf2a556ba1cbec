//! `syclscope record`: runs a program and records it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{CliError, Outcome};
use crate::launch::{self, Format, Options, Recording};
use crate::text;
use crate::trace_cache;

/// Commands shown at the end.
const MOST_EXPENSIVE: usize = 5;

/// Largest recording that is read again at once, to keep the end of a run quick.
const LARGEST_SUMMARY_BYTES: u64 = 256 << 20;

/// Run a SYCL program and record it into a file
///
/// The program needs no changes and no rebuild. It keeps its input, output and exit code; signals sent to
/// syclscope reach it. What it did is in the file even if it is killed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope record -- ./stencil 4096
  syclscope record -o before.pftrace -- python3 train.py --steps 10
  syclscope record --format json -- ./stencil
then look at it with `syclscope open run.pftrace`, or at ui.perfetto.dev.

The program's SYCL runtime is found by itself where the program runs without syclscope. It was tried
with version 2026.2, and briefly with 2025.2; others may work but are untested. A process that the
program starts and that uses SYCL too gets a file of its own, with its process id in the name.")]
pub(super) struct Arguments {
    /// File to write [default: run.pftrace, or run-2.pftrace… where that is taken]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the file [default: json where FILE ends so, else perfetto]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Replace FILE if it exists, once there is a new recording
    #[arg(long, requires = "output")]
    force: bool,
    /// The SYCL runtime's libxptifw.so or its folder [default: searched for]
    #[arg(long, value_name = "PATH")]
    xptifw: Option<PathBuf>,
    /// Load this subscriber in place of the built-in one (for work on syclscope itself)
    #[arg(long, value_name = "PATH")]
    subscriber: Option<PathBuf>,
    /// Print no summary at the end; warnings stay
    #[arg(short, long)]
    quiet: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let mut words = arguments.program.into_iter();
    let options = Options {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        output: arguments.output,
        format: arguments.format,
        replace: arguments.force,
        framework: arguments.xptifw,
        subscriber: arguments.subscriber,
    };
    let recording = launch::record(&options)?;
    for warning in recording.warnings() {
        eprintln!("syclscope: warning: {warning}");
    }
    if !arguments.quiet {
        summarise(&recording);
    }
    Ok(Outcome::Program(recording.run.ending))
}

/// A path as short as it can be written from the working folder.
fn shown(path: &Path) -> std::path::Display<'_> {
    let folder = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(folder).unwrap_or(path).display()
}

/// Tells which commands took the most device time.
fn most_expensive(path: &Path) {
    let shown = shown(path);
    let size_bytes = std::fs::metadata(path).map_or(0, |meta| meta.len());
    if size_bytes > LARGEST_SUMMARY_BYTES {
        eprintln!(
            "syclscope: `syclscope summary {shown}` tells what took the time; that reads the large file anew"
        );
        return;
    }
    match trace_cache::load_file(path) {
        Ok(trace) => {
            for line in super::summary::table::kernels(&trace.info().kernels, MOST_EXPENSIVE) {
                eprintln!("syclscope:   {line}");
            }
            eprintln!("syclscope: look at it with `syclscope open {shown}`");
        }
        Err(error) => eprintln!("syclscope: warning: {shown} can't be read back: {error}"),
    }
}

/// Tells on standard error what was recorded.
fn summarise(recording: &Recording) {
    let wall_ns = u64::try_from(recording.run.wall_time.as_nanos()).unwrap_or(u64::MAX);
    eprintln!("syclscope: the program {} after {}", recording.run.ending.describe(), text::duration(wall_ns));
    for process in &recording.processes {
        let size_bytes = std::fs::metadata(&process.output).map_or(process.bytes, |meta| meta.len());
        eprintln!(
            "syclscope: {} (process {}): {}, {} events, {} dropped, {} commands with device times",
            shown(&process.output),
            process.pid,
            text::bytes(size_bytes),
            text::count(process.events),
            text::count(process.dropped),
            text::count(process.device_times),
        );
    }
    if let Some(path) = &recording.output {
        most_expensive(path);
    }
}
