//! `syclscope compare`: changes between two runs or groups of runs, their causes, and their significance.

pub(super) mod baseline_file;
pub(super) mod files;
pub(super) mod runs;

use std::path::PathBuf;

use syclscope_engine::compare::{Comparing, Group};

use self::runs::{Reading, Runs};
use super::ask::escaped;
use super::format::{FormatOptions, OutputFormat};
use super::range::RangeOptions;
use super::{CliError, Outcome, print, standard_input};
use syclscope_report::comparison::{self, gate};

/// Width of a line in a pipe or file.
const WIDTH: usize = 140;
const DEFAULT_ROWS: usize = 20;
/// Maximum number of rows of each list in JSON and Markdown.
const MAX_ROWS: usize = 1_000;

/// Compare two runs, or two groups of runs: changes, their causes and their significance
///
/// A is the baseline, B the candidate. Commands are matched by identity and order; the difference of the run times is
/// explained by the critical paths. One run of each side proves nothing: give five or more, with --a and --b or as
/// folders. With --iterations, --region, or --from and --to only that part of each run is compared.
///
/// A file of a folder that can't be read is left out with a warning. Exit code 1: nothing is left, or another error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope compare before.pftrace after.pftrace
  syclscope compare --a before-*.pftrace --b after-*.pftrace
  syclscope compare before/ after/                        every recording in a folder is a run,
                                                          or every folder in it
  syclscope compare --iterations 5-120 before.pftrace after.pftrace
  syclscope compare a.pftrace b.pftrace --format markdown >> $GITHUB_STEP_SUMMARY
  syclscope compare a.pftrace b.pftrace --format svg > difference.svg
  syclscope compare a.pftrace b.pftrace --format json | jq '.waterfall[0]'

`syclscope record --repeat 5` makes the runs, `syclscope check` turns differences into an exit code.
docs/COMPARE.md tells the method.")]
pub(super) struct Arguments {
    /// Baseline and candidate: two recordings, or folders of them; - for a recording from standard input
    #[arg(value_names = ["A", "B"], num_args = 2, required_unless_present_all = ["a", "b"])]
    sides: Vec<PathBuf>,
    /// Runs of A
    #[arg(long, value_name = "FILE", num_args = 1..)]
    a: Vec<PathBuf>,
    /// Runs of B
    #[arg(long, value_name = "FILE", num_args = 1..)]
    b: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatOptions<Format>,
    /// Maximum number of rows of a table in text
    #[arg(long, value_name = "ROWS", default_value_t = DEFAULT_ROWS)]
    top: usize,
    #[command(flatten)]
    range: RangeOptions,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Tables
    Text,
    /// JSON, for scripts
    Json,
    /// Markdown, for CI comments
    Markdown,
    /// JUnit XML: a test case for each metric and each command, failed where the default rules of `check` fail it
    Junit,
    /// SVG picture, for wikis
    Svg,
}

impl OutputFormat for Format {
    const JSON: Self = Self::Json;
}

impl Arguments {
    pub(super) fn is_for_pages(&self) -> bool {
        matches!(self.format.format(), Format::Markdown | Format::Svg)
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let Arguments { sides, a, b, format, top, range, reading } = arguments;
    let format = format.format();
    let mut sides = sides.into_iter();
    let a: Vec<PathBuf> = sides.next().into_iter().chain(a).collect();
    let b: Vec<PathBuf> = sides.next().into_iter().chain(b).collect();
    standard_input::check(a.iter().chain(&b))?;
    let (mut a, mut b) = (Runs::read(&a, &reading, &range)?, Runs::read(&b, &reading, &range)?);
    if a.is_the_same_as(&b) {
        match format {
            Format::Text => return print(&same(&a)),
            _ => a.say_that(&same(&a)),
        }
    }
    let notes: Vec<_> = runs::shared_note(&a, &b).into_iter().chain(runs::omission_note(&a, &b)).collect();
    let ((trace_a, part_a), (trace_b, part_b)) = (a.median_trace()?, b.median_trace()?);
    let group = |name: String, runs: Runs, trace, part| Group {
        name,
        trace,
        shown: runs.median,
        runs: runs.samples,
        part,
    };
    let comparing =
        Comparing::new(group(a.name(), a, &trace_a, part_a), group(b.name(), b, &trace_b, part_b));
    let mut comparison = comparing.overview(MAX_ROWS);
    comparison.notes.extend(notes);
    let text = match format {
        Format::Text => {
            let live = comparing.live(None, top);
            comparison::lines(&comparison, &live, width(), top).join("\n")
        }
        Format::Json => escaped(&json(&comparison)?),
        Format::Markdown => comparison::markdown(&comparison, None, comparison::MAX_ROWS),
        Format::Junit => comparison::junit(&gate::Gate::new(&comparison, &gate::Rules::default())),
        Format::Svg => comparison::picture(&comparison, None).svg(),
    };
    print(text.trim_end())
}

pub(super) fn same(runs: &Runs) -> String {
    let files = if runs.samples.len() == 1 { "the same file" } else { "the same files" };
    format!("A and B are {files}, {}: nothing differs. Name another run to compare with.", runs.name())
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, CliError> {
    serde_json::to_string(value).map_err(|error| CliError::Print { error: error.into() })
}

/// Returns the width of a line: the terminal's, if standard output is one.
pub(super) fn width() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map_or(WIDTH, |(terminal_size::Width(columns), _)| usize::from(columns).max(60))
}
