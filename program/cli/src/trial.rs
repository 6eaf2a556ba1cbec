//! `syclscope try`: compares a finding's predicted gain with the achieved gain of a change or a remedy of the
//! runtime.

mod error;
mod ledger_folder;
mod measuring;
mod programs;
mod remedies;
mod remedy;
mod rounds;

use std::cell::RefCell;
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
use super::format::{FormatOptions, OutputFormat};
use super::{CliError, Outcome, print, record};
use syclscope_report::comparison::gate::Judged;
use syclscope_report::trial::{self as report, Attempt, LEDGER_FOLDER, Ledger, LedgerView, Measurement};
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
  syclscope try --before ./stencil.old 4096 -- ./stencil 4096    both programs by turns
  syclscope try --remedies -- ./stencil 4096  try the runtime's own remedies for the findings
  syclscope try --remedy persistent-cache -- ./stencil 4096
  syclscope try --show --format markdown >> $GITHUB_STEP_SUMMARY

The program's output goes to standard error. Delete the ledger's folder to begin again.
Exit codes: 0 faster or same, 1 slower, 2 undecided (few runs, noise, other arguments), 3 error
(also a wrong command line, and a program that fails). Of several remedies the worst verdict counts.
docs/TRY.md describes the ledger and the remedies.")]
pub(super) struct Arguments {
    /// Folder of the ledger and its recordings
    #[arg(long, value_name = "FOLDER", default_value = LEDGER_FOLDER)]
    ledger: PathBuf,
    /// Runs to record; of each side, with a remedy
    #[arg(long, value_name = "N", default_value_t = RUNS_FOR_A_TEST as u32, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Finding under test: its number, or its id (KIND@FILE:LINE)
    #[arg(long, value_name = "NUMBER|ID")]
    finding: Option<String>,
    /// Program before the change, with its arguments up to `--`; both are recorded by turns
    #[arg(long, num_args = 1.., value_terminator = "--", allow_hyphen_values = true, value_name = "PROGRAM",
        requires = "program", conflicts_with_all = ["remedy", "remedies"])]
    before: Vec<OsString>,
    /// Try a remedy of the runtime, by turns with the program as it is; may be repeated
    #[arg(long, value_enum, value_name = "NAME", requires = "program", conflicts_with = "finding")]
    remedy: Vec<Remedy>,
    /// Try every remedy that fits the findings, by turns
    #[arg(long, requires = "program", conflicts_with_all = ["remedy", "finding"])]
    remedies: bool,
    /// Make the runs of the last change the baseline, with their findings
    #[arg(long, conflicts_with_all = ["program", "finding", "before"])]
    accept: bool,
    /// Print the ledger
    #[arg(long, conflicts_with_all = ["program", "finding", "accept", "before"])]
    show: bool,
    #[command(flatten)]
    format: FormatOptions<Format>,
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

impl OutputFormat for Format {
    const JSON: Self = Self::Json;
}

impl Arguments {
    pub(super) fn is_for_pages(&self) -> bool {
        self.format.format() == Format::Markdown
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    Ok(crate::verdict(judge(arguments)))
}

fn judge(arguments: Arguments) -> Result<Judged, CliError> {
    let folder = LedgerFolder::new(arguments.ledger);
    let output = Output { format: arguments.format.format(), quiet: arguments.quiet };
    let mut words = arguments.program.into_iter();
    let Some(program) = words.next() else {
        return without_program(&folder, &output, arguments.finding.as_deref(), arguments.accept);
    };
    let _lock = folder.lock()?;
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
        printed: RefCell::default(),
    };
    if !arguments.before.is_empty() {
        return by_turns(
            &folder,
            &recorder,
            ledger,
            &output,
            (&arguments.before, arguments.finding.as_deref()),
        );
    }
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

/// Compares two programs, recorded alternately. Without a ledger, the runs of the program before become its
/// baseline.
fn by_turns(
    folder: &LedgerFolder,
    recorder: &Recorder,
    ledger: Option<Ledger>,
    output: &Output,
    (program, finding): (&[OsString], Option<&str>),
) -> Result<Judged, CliError> {
    let under_test = |ledger: &Ledger, wanted: &str| -> Result<_, TrialError> {
        Ok(Some(ledger.finding(wanted).map_err(TrialError::Finding)?.id.clone()))
    };
    let mut ledger = ledger;
    if let (Some(ledger), Some(wanted)) = (&mut ledger, finding) {
        // Fails before the runs, which take long.
        ledger.under_test = under_test(ledger, wanted)?;
    }
    let (before, now, renamed) = programs::measured(folder, recorder, program)?;
    let is_new = ledger.is_none();
    let mut ledger = ledger.unwrap_or_else(|| Ledger::new(before.clone()));
    let mut missing = None;
    if let Some(wanted) = finding.filter(|_| is_new) {
        match under_test(&ledger, wanted) {
            Ok(id) => ledger.under_test = id,
            // The runs are complete, so save them in the ledger first.
            Err(error) => missing = Some(error),
        }
    }
    let tested = ledger.under_test_in(&before, renamed.as_ref()).map(|finding| finding.id.as_str());
    let attempt = Attempt::of_programs(&before, &now, tested, renamed.as_ref());
    let judged = attempt.judged();
    ledger.attempts.push(attempt.clone());
    ledger.last = Some(now);
    folder.write(&ledger)?;
    output.attempts(&ledger, &[attempt])?;
    match missing {
        Some(error) => Err(error.into()),
        None => Ok(judged),
    }
}

fn without_program(
    folder: &LedgerFolder,
    output: &Output,
    finding: Option<&str>,
    accepts: bool,
) -> Result<Judged, CliError> {
    let read = || -> Result<Ledger, CliError> {
        let none = || TrialError::NoLedger { folder: folder.path().to_owned() };
        Ok(folder.read()?.ok_or_else(none)?)
    };
    let mut ledger = read()?;
    let is_changed = finding.is_some() || accepts;
    let _lock = if is_changed { Some(folder.lock()?) } else { None };
    if is_changed {
        // Another command may have changed it before the lock was taken.
        ledger = read()?;
    }
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

fn measured(folder: &LedgerFolder, recorder: &Recorder) -> Result<Measurement, CliError> {
    let name = folder.new_runs()?;
    let recorded = recorder.record(&[Side::plain(folder.path().join(&name))], vec![None]);
    recorded.inspect_err(|_| folder.remove_empty(&name))?;
    measuring::measurement(folder, &name, recorder)
}

/// Rejects a ledger of another program, whose baseline is no measure for this one.
fn same_program(folder: &LedgerFolder, ledger: &Ledger, program: &OsString) -> Result<(), TrialError> {
    let before = &ledger.baseline.program;
    if *before == measuring::base_name(program) {
        return Ok(());
    }
    Err(TrialError::OtherProgram { file: folder.file(), program: before.clone() })
}

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
                "syclscope: the ledger is {}; change the program and run the same command again",
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
