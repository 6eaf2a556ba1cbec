//! `syclscope try`: a finding's predicted gain beside the one that a change, or a remedy of the runtime, achieves.

mod error;
mod ledger_folder;
mod measuring;
mod remedies;
mod remedy;
mod rounds;

use std::ffi::OsString;
use std::path::PathBuf;

use syclscope_engine::compare::statistics::RUNS_FOR_A_TEST;
use syclscope_launcher::{Options, ProgramOutput, Progress};

pub(super) use self::error::TrialError;
use self::ledger_folder::LedgerFolder;
use self::remedy::Remedy;
use self::rounds::{Recorder, Side};
use super::ask::escaped;
use super::compare::{json, width};
use super::{CliError, Outcome, print, record};
use syclscope_report::comparison::gate::Judged;
use syclscope_report::trial::{self as report, Attempt, Ledger, LedgerView, Measurement};
use syclscope_text as text;

/// Try a change, or a remedy of the runtime, and compare its gain with the predicted one
///
/// The first call records the program as it is, lists its findings with their predicted gains, and begins a ledger.
/// Change the program and run the same command again: it records the program as often, and prints the achieved gain
/// with its interval and verdict beside the predicted one, and whether the finding is gone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope try -- ./stencil 4096             the first call: findings, and a new ledger
  syclscope try --finding 2                   name the finding to work on
  syclscope try -- ./stencil 4096             after the change: predicted and achieved gain
  syclscope try --accept                      measure the next change from this one on
  syclscope try --remedies -- ./stencil 4096  try the runtime's own remedies for the findings
  syclscope try --remedy persistent-cache -- ./stencil 4096
  syclscope try --show --format markdown >> $GITHUB_STEP_SUMMARY

The program's output goes to standard error. Delete the ledger's folder to begin again.
Exit codes: 0 faster or same, 1 slower, 2 undecided (too few runs, or too much noise), 3 error (also
a wrong command line, and a program that fails). Of several remedies the worst verdict counts.
docs/TRY.md describes the ledger and the remedies.")]
pub(super) struct Arguments {
    /// Folder of the ledger and its recordings
    #[arg(long, value_name = "FOLDER", default_value = "syclscope-try")]
    ledger: PathBuf,
    /// Runs to record; of each side, with a remedy
    #[arg(long, value_name = "N", default_value_t = RUNS_FOR_A_TEST as u32, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Finding under test: its number, or its id (KIND@FILE:LINE)
    #[arg(long, value_name = "NUMBER|ID")]
    finding: Option<String>,
    /// Record with and without a remedy of the runtime, by turns; may be repeated
    #[arg(long, value_enum, value_name = "NAME", requires = "program", conflicts_with = "finding")]
    remedy: Vec<Remedy>,
    /// The same with every remedy that fits the findings
    #[arg(long, requires = "program", conflicts_with_all = ["remedy", "finding"])]
    remedies: bool,
    /// Make the runs of the last change the baseline, with their findings
    #[arg(long, conflicts_with_all = ["program", "finding"])]
    accept: bool,
    /// Print the ledger
    #[arg(long, conflicts_with_all = ["program", "finding", "accept"])]
    show: bool,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Print nothing but the result
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    what: record::What,
    #[command(flatten)]
    libraries: record::Libraries,
    /// Program and its arguments
    #[arg(trailing_var_arg = true, value_name = "PROGRAM", help_heading = None::<&str>,
        required_unless_present_any = ["show", "accept", "finding"])]
    program: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables
    Text,
    /// JSON, for scripts: the whole ledger
    Json,
    /// Markdown, for CI comments: the whole ledger
    Markdown,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    match judge(arguments) {
        Ok(judged) => Ok(Outcome::Gate(judged)),
        // Codes 1 and 2 are verdicts.
        Err(error) => {
            eprintln!("syclscope: {}", text::safe(&error.to_string()));
            Ok(Outcome::Gate(Judged::Incomparable))
        }
    }
}

fn judge(arguments: Arguments) -> Result<Judged, CliError> {
    let folder = LedgerFolder::new(arguments.ledger);
    let output = Output {
        format: if arguments.json { Format::Json } else { arguments.format },
        quiet: arguments.quiet,
    };
    let mut words = arguments.program.into_iter();
    let Some(program) = words.next() else {
        return without_program(&folder, &output, arguments.finding.as_deref(), arguments.accept);
    };
    let ledger = folder.read()?;
    if let Some(ledger) = &ledger {
        same_program(&folder, ledger, &program)?;
    }
    let recorder = Recorder {
        options: Options {
            program,
            arguments: words.collect(),
            settings: arguments.what.settings(),
            framework: arguments.libraries.xptifw,
            subscriber: arguments.libraries.subscriber,
            progress: if arguments.quiet { Progress::Off } else { Progress::Title },
            program_output: ProgramOutput::StandardError,
            ..Options::default()
        },
        repeat: arguments.repeat,
        quiet: arguments.quiet,
    };
    let is_new = ledger.is_none();
    let mut ledger = match ledger {
        Some(ledger) => ledger,
        None => {
            let ledger = Ledger::new(measured(&folder, &recorder)?);
            folder.write(&ledger)?;
            ledger
        }
    };
    if arguments.remedies || !arguments.remedy.is_empty() {
        // Other formats are one document.
        if is_new && output.format == Format::Text {
            output.findings(&folder, &ledger)?;
        }
        let remedies = if arguments.remedies { remedy::fitting(&ledger.baseline) } else { arguments.remedy };
        let attempts = remedies::attempts(&folder, &recorder, &ledger, &remedies)?;
        ledger.attempts.extend(attempts.iter().cloned());
        folder.write(&ledger)?;
        output.attempts(&ledger, &attempts)?;
        return Ok(report::judged(&attempts));
    }
    if let Some(wanted) = &arguments.finding {
        ledger.under_test = Some(ledger.finding(wanted).map_err(TrialError::Finding)?.id.clone());
    }
    if is_new {
        folder.write(&ledger)?;
        output.findings(&folder, &ledger)?;
        return Ok(Judged::Pass);
    }
    let now = measured(&folder, &recorder)?;
    let attempt = Attempt::new(&ledger.baseline, &now, ledger.under_test.as_deref());
    let judged = attempt.judged();
    ledger.attempts.push(attempt.clone());
    ledger.last = Some(now);
    folder.write(&ledger)?;
    output.attempts(&ledger, &[attempt])?;
    Ok(judged)
}

/// Prints or changes a ledger, without a run.
fn without_program(
    folder: &LedgerFolder,
    output: &Output,
    finding: Option<&str>,
    accepts: bool,
) -> Result<Judged, CliError> {
    let mut ledger =
        folder.read()?.ok_or_else(|| TrialError::NoLedger { folder: folder.path().to_owned() })?;
    if let Some(wanted) = finding {
        ledger.under_test = Some(ledger.finding(wanted).map_err(TrialError::Finding)?.id.clone());
        folder.write(&ledger)?;
        output.findings(folder, &ledger)?;
    } else if accepts {
        ledger.accept().map_err(TrialError::Accept)?;
        folder.write(&ledger)?;
        output.findings(folder, &ledger)?;
    } else {
        output.ledger(&ledger)?;
    }
    Ok(Judged::Pass)
}

/// Records the program into a new folder of the ledger's.
fn measured(folder: &LedgerFolder, recorder: &Recorder) -> Result<Measurement, CliError> {
    let name = folder.new_runs()?;
    let recorded = recorder.record(&[Side::plain(folder.path().join(&name))]);
    recorded.inspect_err(|_| folder.remove_empty(&name))?;
    measuring::measurement(folder, &name, recorder)
}

/// Refuses a ledger of another program: its baseline says nothing of this one.
fn same_program(folder: &LedgerFolder, ledger: &Ledger, program: &OsString) -> Result<(), TrialError> {
    let name = |program: &str| program.rsplit('/').next().unwrap_or_default().to_owned();
    let before = name(&ledger.baseline.program);
    if before == name(&program.to_string_lossy()) {
        return Ok(());
    }
    Err(TrialError::OtherProgram { file: folder.file(), program: before })
}

/// Prints results in a format.
struct Output {
    format: Format,
    quiet: bool,
}

impl Output {
    fn findings(&self, folder: &LedgerFolder, ledger: &Ledger) -> Result<(), CliError> {
        if self.format != Format::Text {
            return self.ledger(ledger);
        }
        print(&report::finding_lines(ledger, width()).join("\n"))?;
        if !self.quiet {
            let file = folder.file();
            eprintln!(
                "syclscope: ledger: {}; change the program and run the same command again",
                text::path(&file)
            );
            let remedies = remedy::fitting(&ledger.baseline);
            if !remedies.is_empty() {
                let names: Vec<&str> = remedies.iter().map(|remedy| remedy.name()).collect();
                eprintln!("syclscope: remedies of the runtime that fit (--remedies): {}", names.join(", "));
            }
        }
        Ok(())
    }

    fn attempts(&self, ledger: &Ledger, attempts: &[Attempt]) -> Result<(), CliError> {
        if self.format != Format::Text {
            return self.ledger(ledger);
        }
        if attempts.is_empty() {
            print("no remedy of the runtime fits the findings")?;
        }
        for (number, attempt) in attempts.iter().enumerate() {
            let lines = report::attempt_lines(attempt, width()).join("\n");
            print(&if number == 0 { lines } else { format!("\n{lines}") })?;
        }
        Ok(())
    }

    fn ledger(&self, ledger: &Ledger) -> Result<(), CliError> {
        let text = match self.format {
            Format::Text => report::lines(ledger, width()).join("\n"),
            Format::Json => escaped(&json(&LedgerView::new(ledger))?),
            Format::Markdown => report::markdown(ledger),
        };
        print(text.trim_end()).map(|_| ())
    }
}
