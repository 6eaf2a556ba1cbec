//! `syclscope history`: metrics and times over many runs, and the runs at which they changed.

use std::path::PathBuf;

use syclscope_engine::compare::history;

use super::compare::runs::{Reading, Runs};
use super::compare::{json, width};
use super::format::{FormatOptions, OutputFormat};
use super::range::RangeOptions;
use super::{CliError, Outcome, print, standard_input};
use crate::ask::escaped;
use syclscope_report::comparison;

/// Find the runs at which metrics changed
///
/// Runs are in the order of their names, or as given. Changes are found by E-divisive: in counts of any size,
/// in times from 3 % on. An unreadable file in a folder is skipped with a warning.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope history nightly/
  syclscope history nightly/ --format svg > trend.svg
  syclscope history 2026-11-*.json --format markdown

A file of `check --write-baseline` is as good as the recordings that it was made from. At least
eight runs are needed for a step. Times are those of the run, of kernels, and of copies and fills by
direction and line.")]
pub(super) struct Arguments {
    /// Recordings, folders of them, or files of `check --write-baseline`; - for one of these from standard input
    #[arg(required = true, value_name = "FILE|FOLDER")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatOptions<Format>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Table
    Text,
    /// JSON, with every value
    Json,
    /// Markdown, for CI comments
    Markdown,
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
    standard_input::check(&arguments.runs)?;
    let runs = Runs::read(&arguments.runs, &arguments.reading, &RangeOptions::default())?;
    let history = history(&runs.samples);
    let text = match arguments.format.format() {
        Format::Text => comparison::history_lines(&history, width()).join("\n"),
        Format::Json => escaped(&json(&history)?),
        Format::Markdown => comparison::history_markdown(&history),
        Format::Svg => comparison::history_picture(&history).svg(),
    };
    print(text.trim_end())
}
