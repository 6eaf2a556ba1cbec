//! `syclscope summary`: the contents of a trace, on the terminal or for scripts.

mod calls;
mod csv;
mod json;
mod section;
mod selecting;
pub(super) mod text;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args as _, FromArgMatches as _, ValueEnum as _};
use syclscope_engine::store::Trace;
use syclscope_language::api::{
    Builds, Energy, Gaps, Iterations, Regions, Report, Selected, StartUp, TraceInfo,
};

pub(super) use self::csv::field as csv_field;
use self::section::Section;
use self::text::Room;
use super::ask::escaped;
use super::folder::FolderRuns;
use super::format::{FormatOptions, OutputFormat};
use super::output;
use super::{CliError, Outcome, print, reading};
use syclscope_report::overview::{self, HtmlContents};
use syclscope_system::private_files;

/// Width of a line in a pipe or file.
const WIDTH: usize = 120;

/// Default number of rows of a table, and of steps of the critical path.
const MAX_ROWS: usize = 20;
const MAX_STEPS: usize = 10;

const MAX_NAMES: usize = 8;

/// Number of idle gaps for scripts.
const GAPS_FOR_SCRIPTS: usize = 10_000;

/// Summarize a trace: kernels, copies, waits, memory, the critical path, findings, problems
///
/// Kernels and other commands by device time, with mean, 95th percentile and queueing delay; their energy where the
/// recording has counters of power (an estimate); rounds of the main loop; start-up; builds of device code; copies by
/// direction; host waits by source location; peak memory by kind and leaks; the ten longest steps of the critical path;
/// idle time of queues by reason; idle time of devices by cause, with the longest stretches explained; findings;
/// problems of the recording.
///
/// With --calls: calls of the Unified Runtime (or its predecessor, PI) and of the native API below it, by name. The
/// column `errors` counts calls that did not return success. Not all of these are failures: the runtime probes for
/// optional features, for example with `urProgramBuildExp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope summary run.pftrace
  syclscope summary --section copies run.pftrace
  syclscope summary --section kernels runs/
  syclscope summary --format csv run.pftrace > kernels.csv
  syclscope summary --format csv --section unreleased run.pftrace
  syclscope summary --format json run.pftrace | jq '.report.critical_path.length_ns'
  syclscope summary --format markdown run.pftrace >> $GITHUB_STEP_SUMMARY
  syclscope summary --format html -o report.html run.pftrace
  syclscope summary --from 1.2s --to 1.5s run.pftrace
  syclscope summary --iterations 5-120 run.pftrace
  syclscope summary --region solve --iterations 3 run.pftrace
  syclscope summary --where 'name:gemm duration>1ms' run.pftrace
  syclscope summary --calls --sort count run.pftrace

CSV is one section: --section, else kernels, or the slices of a selection. JSON is everything, or
one section. Times are in ns, sizes in bytes. docs/SUMMARY.md describes every column.")]
pub(super) struct Arguments {
    /// Trace file (Perfetto or Chrome JSON, also compressed), from syclscope or another tool; - for standard input; a
    /// folder for each run in it
    #[arg(value_name = "FILE|FOLDER")]
    path: PathBuf,
    #[command(flatten)]
    format: FormatOptions<Format>,
    /// File to write instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite the file of --output
    #[arg(short, long, requires = "output")]
    force: bool,
    /// Only this section
    #[arg(long, value_enum, value_name = "SECTION", conflicts_with = "calls")]
    section: Option<Section>,
    #[command(flatten)]
    selecting: selecting::Selecting,
    /// Maximum number of rows of a table in text, and in CSV and JSON of steps of the critical path, idle stretches,
    /// iterations, builds, energy and regions [default in text: 20; 10 steps of the critical path; all calls]
    #[arg(long, value_name = "ROWS")]
    top: Option<usize>,
    /// Same as --section calls
    #[arg(long)]
    calls: bool,
    /// Calls to list: the runtime's (Unified Runtime or PI), the native API's below it, or both
    #[arg(long = "of", value_enum, value_name = "CALLS", default_value = "all", requires = "calls")]
    interface: calls::Interface,
    /// Order of the calls
    #[arg(long, value_enum, value_name = "COLUMN", default_value = "total", requires = "calls")]
    sort: calls::Sort,
}

#[derive(Debug, Default)]
struct Summary {
    info: TraceInfo,
    report: Report,
    /// `None` if another section is requested, or for a whole trace with commands: kernels are more informative.
    slices: Option<Selected>,
    /// `None` with a filter, or if another section is requested.
    gaps: Option<Gaps>,
    /// `None` with a filter, if another section is requested, or if the whole summary has no power counter.
    energy: Option<Energy>,
    regions: Option<Regions>,
    /// `None` with a filter, or if another section is requested.
    iterations: Option<Iterations>,
    /// `None` for a part of the run, or if another section is requested.
    start_up: Option<StartUp>,
    /// `None` with a filter, or if another section is requested.
    builds: Option<Builds>,
    is_part: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables
    Text,
    /// CSV: one line for each row of a section
    Csv,
    /// JSON, for scripts
    Json,
    /// Markdown, for CI comments: the same as a server's `summary.md`
    Markdown,
    /// One HTML file with a picture, to read, print and send; the browser prints it as PDF
    Html,
}

impl OutputFormat for Format {
    const JSON: Self = Self::Json;
}

impl Arguments {
    pub(super) fn is_for_pages(&self) -> bool {
        matches!(self.format.format(), Format::Markdown | Format::Html)
    }

    fn width(&self) -> usize {
        if self.writes_file() { WIDTH } else { width() }
    }

    pub(super) fn writes_file(&self) -> bool {
        self.output.is_some()
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    if let Some(output) = &arguments.output {
        output::check(&arguments.path, output, arguments.force)?;
    }
    if arguments.path.is_dir() {
        return of_folder(&arguments);
    }
    let trace = reading::trace_or_standard_input(&arguments.path)?;
    deliver(&summarize(&trace, &arguments.path, &arguments)?, &arguments)
}

fn deliver(text: &str, arguments: &Arguments) -> Result<Outcome, CliError> {
    let Some(output) = &arguments.output else { return print(text) };
    output::whole(output, |part| {
        let written = private_files::create_file(part).and_then(|mut file| writeln!(file, "{text}"));
        written.map_err(|error| output::unwritable(output, error))
    })?;
    Ok(Outcome::Success)
}

fn of_folder(arguments: &Arguments) -> Result<Outcome, CliError> {
    let runs = FolderRuns::find(&arguments.path)?;
    let is_text = matches!(arguments.format.format(), Format::Text | Format::Markdown);
    if runs.len() > 1 && !is_text {
        let names = runs.paths().take(MAX_NAMES).map(syclscope_text::path).collect();
        return Err(CliError::SeveralRuns { path: arguments.path.clone(), runs: runs.len(), names });
    }
    // A whole summary begins with the name of its run.
    let has_name = !arguments.calls && arguments.section.is_none();
    let mut outcome = Outcome::Success;
    let mut texts = Vec::new();
    let mut space = "";
    for run in runs.traces() {
        let text = run.and_then(|(path, trace)| {
            let text = summarize(&trace, path, arguments)?;
            let needs_name = runs.len() > 1 && !has_name;
            Ok(if needs_name { format!("{}\n{text}", syclscope_text::path(path)) } else { text })
        });
        match text {
            Ok(text) if arguments.output.is_some() => texts.push(text),
            Ok(text) => {
                print(&format!("{space}{text}"))?;
                space = "\n";
            }
            // The other runs still get a summary.
            Err(error) => {
                eprintln!("syclscope: {}", syclscope_text::safe(&error.to_string()));
                outcome = Outcome::Failure;
            }
        }
    }
    if !texts.is_empty() {
        deliver(&texts.join("\n\n"), arguments)?;
    }
    Ok(outcome)
}

fn summarize(trace: &Trace, path: &Path, arguments: &Arguments) -> Result<String, CliError> {
    let mut selecting = arguments.selecting.clone();
    selecting.resolve(trace)?;
    let part = Part { path, selecting, arguments };
    let format = arguments.format.format();
    let section = if arguments.calls { Some(Section::Calls) } else { arguments.section };
    let text = match section {
        Some(Section::Calls) => calls(trace, &part, format),
        section => report(trace, &part, format, section),
    };
    Ok(text?.trim_end().to_owned())
}

struct Part<'a> {
    path: &'a Path,
    /// Includes times for iterations and regions.
    selecting: selecting::Selecting,
    arguments: &'a Arguments,
}

fn calls(trace: &Trace, part: &Part<'_>, format: Format) -> Result<String, CliError> {
    let arguments = part.arguments;
    part.selecting.refuse(Section::Calls)?;
    let calls = calls::select(part.selecting.calls(trace), arguments.interface, arguments.sort);
    Ok(match format {
        Format::Text => {
            calls::table(&calls, arguments.top.unwrap_or(usize::MAX), arguments.width()).join("\n")
        }
        Format::Csv => csv::calls(&calls),
        Format::Json => escaped(&json::calls(&calls).map_err(unprintable)?),
        Format::Markdown | Format::Html => return Err(CliError::NoSections),
    })
}

fn report(
    trace: &Trace,
    part: &Part<'_>,
    format: Format,
    section: Option<Section>,
) -> Result<String, CliError> {
    let Part { path, selecting, arguments } = part;
    if format == Format::Html {
        return match section {
            None => page(trace, part),
            Some(_) => Err(CliError::NoSections),
        };
    }
    let [listed, gaps] = rows_listed(format, arguments.top);
    // Text lists the longest builds, which may be anywhere among all of them.
    let builds = if format == Format::Text { usize::MAX } else { listed };
    let is_part = !selecting.is_everything();
    let is_shown = |of: Section| !is_part && section.is_none_or(|section| section == of);
    let mut reported = selecting.report(trace, section)?;
    if let (Format::Csv | Format::Json, Some(most)) = (format, arguments.top) {
        reported.critical_path = reported.critical_path.longest(most);
    }
    let summary = Summary {
        info: trace.info(),
        report: reported,
        slices: selecting.slices(trace, section)?,
        gaps: selecting.gaps(trace, section, gaps)?,
        energy: selecting.energy(trace, section, listed.max(arguments.top.unwrap_or(MAX_ROWS))),
        regions: selecting.regions(trace, section, listed.max(arguments.top.unwrap_or(MAX_ROWS))),
        iterations: selecting.iterations(trace, section, listed),
        start_up: is_shown(Section::StartUp).then(|| trace.start_up()),
        builds: selecting.builds(trace, section, builds),
        is_part,
    };
    let room = Room {
        width: arguments.width(),
        rows: arguments.top.unwrap_or(MAX_ROWS),
        steps: arguments.top.unwrap_or(MAX_STEPS),
    };
    Ok(match (format, section) {
        (Format::Text, None) => text::lines(&syclscope_text::path(path), &summary, room).join("\n"),
        (Format::Text, Some(section)) => {
            let lines = text::section(section, &summary, room);
            if lines.is_empty() { section.none() } else { lines.join("\n") }
        }
        (Format::Csv, Some(section)) => csv::section(section, &summary),
        (Format::Csv, None) if summary.is_part => csv::section(Section::Slices, &summary),
        (Format::Csv, None) => csv::section(Section::Kernels, &summary),
        (Format::Json, section) => escaped(&json::summary(section, &summary).map_err(unprintable)?),
        (Format::Markdown, None) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let part = summary.is_part.then(|| selecting.words()).filter(|words| !words.is_empty());
            overview::markdown(&name, &summary.info, &summary.report, summary.gaps.as_ref(), part.as_deref())
        }
        (Format::Markdown, Some(_)) | (Format::Html, _) => return Err(CliError::NoSections),
    })
}

/// Returns the number of rows of a list, and of idle gaps: for scripts all rows, unless `top` limits them.
fn rows_listed(format: Format, top: Option<usize>) -> [usize; 2] {
    let [rows, gaps] = match format {
        Format::Csv | Format::Json => [usize::MAX, GAPS_FOR_SCRIPTS],
        Format::Text | Format::Markdown | Format::Html => [MAX_STEPS; 2],
    };
    [top.unwrap_or(rows), top.unwrap_or(gaps)]
}

fn page(trace: &Trace, Part { path, selecting, .. }: &Part<'_>) -> Result<String, CliError> {
    let contents = if selecting.is_everything() {
        HtmlContents::of_run(trace).map_err(|error| CliError::Query { error })?
    } else {
        HtmlContents::of_part(trace, selecting.selection(), selecting.words())
            .map_err(|error| CliError::Query { error })?
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    overview::html(&name, trace, &contents, None).map_err(|error| CliError::Query { error })
}

/// Returns the summary of a trace as text, as the command prints it with these options.
pub(super) fn text_of(name: &str, trace: &Trace, options: &[String]) -> Result<String, String> {
    let command = Arguments::augment_args(clap::Command::new("summary").no_binary_name(true));
    let words = options.iter().map(String::as_str).chain(["--", name]);
    let matches = command.try_get_matches_from(words).map_err(|error| {
        let text = error.to_string();
        // Without the advice to print the help, since the user typed no command.
        text.split("\n\nFor more information").next().unwrap_or_default().to_owned()
    })?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| error.to_string())?;
    if arguments.output.is_some() {
        return Err("--output is not supported here: the answer is the text itself".to_owned());
    }
    summarize(trace, &arguments.path, &arguments).map_err(|error| error.to_string())
}

pub(super) fn sections() -> Vec<String> {
    let names = Section::value_variants().iter().filter_map(clap::ValueEnum::to_possible_value);
    names.map(|value| value.get_name().to_owned()).collect()
}

fn unprintable(error: serde_json::Error) -> CliError {
    CliError::Print { error: error.into() }
}

/// Returns the width of a line: the terminal's, within limits.
pub(super) fn width() -> usize {
    let of_terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    of_terminal.map_or(WIDTH, |(width, _)| usize::from(width.0).clamp(80, 200))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_get_every_row() {
        for format in [Format::Csv, Format::Json] {
            assert_eq!(rows_listed(format, None), [usize::MAX, 10_000]);
            assert_eq!(rows_listed(format, Some(3)), [3, 3]);
        }
        assert_eq!(rows_listed(Format::Text, None), [10, 10]);
    }
}
