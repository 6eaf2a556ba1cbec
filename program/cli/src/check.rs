//! `syclscope check`: a gate for CI. Metrics come first, since most don't depend on the machine's speed, then
//! times.

use std::path::PathBuf;

use syclscope_engine::compare::{SampledGroup, compare_samples};

use super::compare::runs::{Reading, Runs, is_address, omission_note, shared_note};
use super::compare::{Format, baseline_file, json, same};
use super::format::FormatOptions;
use super::range::RangeOptions;
use super::{CliError, Outcome, print, standard_input};
use crate::ask::escaped;
use syclscope_report::comparison;
use syclscope_report::comparison::gate::{Gate, Judged, Rules};
use syclscope_text as text;

/// Maximum width of a reason: CI logs have long lines.
const MAX_REASON_COLUMNS: usize = 1_000;

/// Fail a build whose runs do more than the baseline's, or are significantly slower
///
/// First come counts, which are mostly the same on a busy machine: commands, launches, dependences, bytes copied by
/// direction, peak memory, findings, leaks. Then come times, by the statistics of `syclscope compare`: a time fails if
/// it is significantly slower, and passes if it is significantly not. Record five runs of each side, by turns.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope check run-*.pftrace --write-baseline baseline.json
  syclscope check run-*.pftrace --baseline baseline.json
  syclscope check run-*.pftrace --baseline main/ --iterations 5-120
  syclscope check run-*.pftrace --baseline main/ --rules gate.toml --format junit > gate.xml
  syclscope check run-*.pftrace --baseline 'https://traces.example/latest/heat?label=branch:main'

Exit codes: 0 pass, 1 fail, 2 undecided (too few runs, or too much noise), 3 could not be compared
(also a wrong command line). docs/COMPARE.md describes rules, and workflows for GitHub, GitLab and
Jenkins.")]
pub(super) struct Arguments {
    /// Runs to judge: recordings, or folders of them; - for a recording from standard input
    #[arg(required_unless_present = "baseline", value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Baseline: recordings, folders of them, a file of --write-baseline, or URLs on a server (a trace's page, or a
    /// project's newest runs: …/latest/PROJECT?label=KEY:VALUE&runs=5)
    #[arg(long, value_name = "FILE|URL", num_args = 1.., required_unless_present = "write_baseline")]
    baseline: Vec<PathBuf>,
    /// Allowed changes, in TOML [default: no more commands, launches, dependences, copies, bytes, peaks,
    /// leaks and findings; no time slower]
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    format: FormatOptions<Format>,
    /// Save these runs as a baseline
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    #[command(flatten)]
    range: RangeOptions,
    #[command(flatten)]
    reading: Reading,
}

impl Arguments {
    pub(super) fn is_for_pages(&self) -> bool {
        matches!(self.format.format(), Format::Markdown | Format::Svg)
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    Ok(crate::verdict(judge(arguments)))
}

fn judge(arguments: Arguments) -> Result<Judged, CliError> {
    let Arguments { traces, baseline, rules, format, write_baseline, range, reading } = arguments;
    let format = format.format();
    let (traces, baseline) = sides(traces, baseline)?;
    standard_input::check(traces.iter().chain(&baseline))?;
    let rules = match rules {
        None => Rules::default(),
        Some(path) => {
            let text =
                std::fs::read_to_string(&path).map_err(|error| super::reading::unreadable(&path, &error))?;
            Rules::read(&text).map_err(|error| CliError::Rules { path, error: Box::new(error) })?
        }
    };
    let now = Runs::read(&traces, &reading, &range)?.without_trace();
    let mut judged = Judged::Pass;
    if !baseline.is_empty() {
        let before = Runs::read(&baseline, &reading, &range)?;
        let (name_a, name_b) = (before.name(), now.name());
        let mut comparison = compare_samples(
            SampledGroup { name: &name_a, runs: &before.samples },
            SampledGroup { name: &name_b, runs: &now.samples },
        );
        if now.is_the_same_as(&before) {
            now.say_that(&same(&now));
        }
        let shared = shared_note(&before, &now);
        // A gate prints no notes.
        if let Some(note) = &shared {
            now.say_that(&note.message);
        }
        comparison.notes.extend(shared);
        comparison.notes.extend(omission_note(&before, &now));
        let gate = Gate::new(&comparison, &rules);
        judged = gate.judged();
        let printed = match format {
            Format::Text => lines(&gate).join("\n"),
            Format::Json => escaped(&json(&gate.with(&comparison))?),
            Format::Markdown => comparison::markdown(&comparison, Some(&gate), comparison::MAX_ROWS),
            Format::Junit => comparison::junit(&gate),
            Format::Svg => comparison::picture(&comparison, Some(&gate)).svg(),
        };
        print(printed.trim_end())?;
    }
    if let Some(path) = write_baseline {
        now.write(&path)?;
    }
    Ok(judged)
}

/// Returns the runs to judge and the baseline. In `--baseline base.json run-*.pftrace`, clap reads all paths
/// as values of the option: if the first is a baseline file, the others are the runs to judge.
fn sides(traces: Vec<PathBuf>, mut baseline: Vec<PathBuf>) -> Result<(Vec<PathBuf>, Vec<PathBuf>), CliError> {
    if !traces.is_empty() {
        return Ok((traces, baseline));
    }
    let is_whole = |first: &PathBuf| first.is_dir() || is_address(first) || baseline_file::is_one(first);
    if baseline.len() < 2 || !baseline.first().is_some_and(is_whole) {
        return Err(CliError::NothingToJudge);
    }
    let traces = baseline.split_off(1);
    Ok((traces, baseline))
}

fn lines(gate: &Gate) -> Vec<String> {
    let mut lines: Vec<String> = gate
        .not_passed()
        .map(|item| {
            text::printable(&format!("{}: {}", item.judged.as_str(), item.message), MAX_REASON_COLUMNS)
        })
        .collect();
    lines.extend(gate.remarks.iter().map(|remark| text::printable(remark, MAX_REASON_COLUMNS)));
    let passed = gate.items.iter().filter(|item| item.judged == Judged::Pass).count();
    lines.push(format!("{}: {} of {} pass", gate.judged().as_str(), passed, gate.items.len()));
    lines
}
