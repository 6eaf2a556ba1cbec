//! `syclscope doctor`: checks whether recording works here, and names remedies.

use std::ffi::OsString;
use std::path::PathBuf;

use super::format::{FormatOptions, OutputFormat};
use super::{CliError, Outcome, print};
use syclscope_launcher::doctor::{self, Check, Diagnosis, Request, State};
use syclscope_text::counted;

/// Check whether recording works here, and name the remedy where it doesn't
///
/// Checks the SYCL runtime, its tracing framework, devices and drivers, the Unified Runtime's tracing, folders and
/// limits, and records a small program of its own. With a PROGRAM, it also runs and records that program into a
/// temporary file; the program's output goes to standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope doctor
  syclscope doctor -- ./stencil 64
  syclscope doctor --format json | jq '.checks[] | select(.state != \"ok\")'

The exit code is 0 if recording works, else 1.")]
pub(super) struct Arguments {
    /// The SYCL runtime's libxptifw.so or its folder [default: search for it]
    #[arg(long, value_name = "PATH")]
    xptifw: Option<PathBuf>,
    /// Folder for recordings [default: the working folder]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    #[command(flatten)]
    format: FormatOptions<Format>,
    /// Load this subscriber instead of the built-in one (for work on syclscope itself)
    #[arg(long, value_name = "PATH")]
    subscriber: Option<PathBuf>,
    /// Program to record, with its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text
    Text,
    /// JSON, for scripts
    Json,
}

impl OutputFormat for Format {
    const JSON: Self = Self::Json;
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let diagnosis = doctor::examine(&Request {
        framework: arguments.xptifw,
        subscriber: arguments.subscriber,
        folder: arguments.output,
        program: arguments.program,
    })?;
    let text = match arguments.format.format() {
        Format::Text => lines(&diagnosis).join("\n"),
        Format::Json => serde_json::to_string_pretty(&diagnosis)
            .map_err(|error| CliError::Print { error: error.into() })?,
    };
    print(&text)?;
    Ok(if diagnosis.works { Outcome::Success } else { Outcome::Failure })
}

/// Returns a line for each check, with the remedy below it, and a last line with the result.
fn lines(diagnosis: &Diagnosis) -> Vec<String> {
    let width = diagnosis.checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for Check { name, state, says, remedy } in &diagnosis.checks {
        let state = match state {
            State::Ok => "ok",
            State::Skipped => "skipped",
            State::Warning => "warning",
            State::Failed => "FAILED",
        };
        let indent = " ".repeat(width + 11);
        let says = says.trim_end().replace('\n', &format!("\n{indent}"));
        lines.push(format!("{state:<7}  {name:<width$}  {says}"));
        if let Some(remedy) = remedy {
            lines.push(format!("{indent}→ {remedy}"));
        }
    }
    let count = |state| diagnosis.checks.iter().filter(|check| check.state == state).count() as u64;
    lines.push(String::new());
    lines.push(match (diagnosis.works, count(State::Warning)) {
        (true, 0) => "Recording works here.".to_owned(),
        (true, warnings) => {
            format!("Recording works here, with {}; see above.", counted(warnings, "warning"))
        }
        (false, _) if count(State::Failed) == 0 => {
            format!(
                "Recording was not tried here: {} skipped; see above.",
                counted(count(State::Skipped), "check")
            )
        }
        (false, _) => {
            format!(
                "Recording does not work here: {} failed; see above.",
                counted(count(State::Failed), "check")
            )
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_stands_with_its_remedy() {
        let check = |name, state, says: &str, remedy: Option<&str>| Check {
            name,
            state,
            says: says.to_owned(),
            remedy: remedy.map(str::to_owned),
        };
        let diagnosis = Diagnosis {
            works: false,
            checks: vec![
                check("runtime", State::Ok, "there", None),
                check("devices", State::Failed, "none\nat all", Some("get one")),
            ],
            devices: Vec::new(),
        };
        assert_eq!(
            lines(&diagnosis),
            [
                "ok       runtime  there",
                "FAILED   devices  none\n                  at all",
                "                  → get one",
                "",
                "Recording does not work here: 1 check failed; see above.",
            ]
        );
    }
}
