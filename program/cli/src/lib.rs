//! The command line: the subcommands, and the exit codes of their outcomes.

mod admin;
mod ask;
mod check;
mod clean;
mod compare;
mod completions;
mod convert;
mod demo;
mod doctor;
mod drain;
mod error;
mod folder;
mod format;
mod health;
mod history;
mod hosting;
mod lifetime;
mod logging;
mod man;
mod mcp;
mod member;
mod merge;
mod mode;
mod open;
mod open_browser;
mod output;
mod probe;
mod progress;
mod project;
mod range;
mod reading;
mod record;
mod recover;
mod rows;
mod scratch;
mod serve;
mod share;
mod skill;
mod sql;
mod standard_input;
mod storage_args;
mod summary;
mod sync;
mod token;
mod trial;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use error::CliError;

use syclscope_launcher as launcher;
use syclscope_report::comparison::gate::Judged;
use syclscope_system::embedded::{self, Embedded};
use syclscope_system::memory;
use syclscope_text as text;

/// Records SYCL programs and shows what they did: kernels, copies, queues, waits, memory.
#[derive(Debug, Parser)]
#[command(name = "syclscope", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: SyclscopeCommand,
}

const EXIT_CODES: &str = "\
Exit codes: 0 success; 1 failure, with the reason on standard error; 2 wrong command line.
`check` ends with 0 pass, 1 fail, 2 undecided, 3 could not be compared.
`try` ends with 0 faster or same, 1 slower, 2 undecided, 3 error.
`record` ends as the recorded program does: with its exit code or by its signal. It ends with 127 if
the program does not exist, 126 if it can't be executed, and 1 if recording can't work here; then
the program did not run.";

#[derive(Debug, Subcommand)]
enum SyclscopeCommand {
    Record(record::Arguments),
    Recover(recover::Arguments),
    Open(open::Arguments),
    Demo(demo::Arguments),
    Serve(serve::Arguments),
    Share(share::Arguments),
    Sync(sync::Arguments),
    Token(token::Arguments),
    Member(member::Arguments),
    Project(project::Arguments),
    Admin(admin::Arguments),
    Summary(summary::Arguments),
    Ask(ask::Arguments),
    Sql(sql::Arguments),
    Compare(compare::Arguments),
    Check(check::Arguments),
    History(history::Arguments),
    Try(trial::Arguments),
    Merge(merge::Arguments),
    Convert(convert::Arguments),
    Clean(clean::Arguments),
    Doctor(doctor::Arguments),
    Health(health::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    Mcp(mcp::Arguments),
    Skill(skill::Arguments),
    Probe(probe::Arguments),
    Drain(drain::Arguments),
}

impl SyclscopeCommand {
    /// True if numbers are for people: on a terminal, in Markdown and pictures, and on a server's pages.
    fn has_readers(&self) -> bool {
        let is_page = match self {
            Self::Open(_) | Self::Demo(_) | Self::Serve(_) => true,
            Self::Summary(arguments) => arguments.is_for_pages(),
            Self::Compare(arguments) => arguments.is_for_pages(),
            Self::Check(arguments) => arguments.is_for_pages(),
            Self::History(arguments) => arguments.is_for_pages(),
            Self::Try(arguments) => arguments.is_for_pages(),
            _ => false,
        };
        let is_file = matches!(self, Self::Summary(arguments) if arguments.writes_file());
        is_page || !is_file && std::io::stdout().is_terminal()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Success,
    /// The answer is negative, and the subcommand has printed it.
    Failure,
    /// The recorded program ended this way, and this process ends the same way.
    Program(launcher::Ending),
    /// Verdict of `check` or `try`, which have their own exit codes.
    Gate(Judged),
}

/// Runs the program with the command line of this process and the embedded files.
pub fn main(embedded: &'static Embedded) -> ExitCode {
    memory::begin();
    // Must run before anything opens a database.
    syclscope_sql::begin();
    embedded::carry(embedded);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return print_usage_error(&error),
    };
    text::group_digits(cli.command.has_readers());
    let result = match cli.command {
        SyclscopeCommand::Record(arguments) => record::run(arguments),
        SyclscopeCommand::Recover(arguments) => recover::run(arguments),
        SyclscopeCommand::Open(arguments) => open::run(arguments),
        SyclscopeCommand::Demo(arguments) => demo::run(arguments),
        SyclscopeCommand::Serve(arguments) => serve::run(arguments),
        SyclscopeCommand::Share(arguments) => share::run(arguments),
        SyclscopeCommand::Sync(arguments) => sync::run(arguments),
        SyclscopeCommand::Token(arguments) => token::run(arguments),
        SyclscopeCommand::Member(arguments) => member::run(arguments),
        SyclscopeCommand::Project(arguments) => project::run(arguments),
        SyclscopeCommand::Admin(arguments) => admin::run(arguments),
        SyclscopeCommand::Summary(arguments) => summary::run(arguments),
        SyclscopeCommand::Ask(arguments) => ask::run(arguments),
        SyclscopeCommand::Sql(arguments) => sql::run(arguments),
        SyclscopeCommand::Compare(arguments) => compare::run(arguments),
        SyclscopeCommand::Check(arguments) => check::run(arguments),
        SyclscopeCommand::History(arguments) => history::run(arguments),
        SyclscopeCommand::Try(arguments) => trial::run(arguments),
        SyclscopeCommand::Merge(arguments) => merge::run(arguments),
        SyclscopeCommand::Convert(arguments) => convert::run(arguments),
        SyclscopeCommand::Clean(arguments) => clean::run(arguments),
        SyclscopeCommand::Doctor(arguments) => doctor::run(arguments),
        SyclscopeCommand::Health(arguments) => health::run(arguments),
        SyclscopeCommand::Completions(arguments) => completions::run(arguments),
        SyclscopeCommand::Man(arguments) => man::run(arguments),
        SyclscopeCommand::Mcp(arguments) => mcp::run(arguments),
        SyclscopeCommand::Skill(arguments) => skill::run(arguments),
        SyclscopeCommand::Probe(arguments) => probe::run(arguments),
        SyclscopeCommand::Drain(arguments) => drain::run(arguments),
    };
    match result {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Failure) => ExitCode::FAILURE,
        Ok(Outcome::Gate(judged)) => ExitCode::from(judged.exit_code()),
        Ok(Outcome::Program(launcher::Ending::Code(code))) => ExitCode::from(code),
        Ok(Outcome::Program(launcher::Ending::Signal(signal))) => ExitCode::from(launcher::die_by(signal)),
        Err(error) => {
            report(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Prints a command-line error, or the help. A gate exits with another code than 2, which would mean that
/// more runs could decide.
fn print_usage_error(error: &clap::Error) -> ExitCode {
    // Printing fails only if the reader of the output has gone.
    let _ = error.print();
    let is_gate = std::env::args_os().nth(1).is_some_and(|command| command == "check" || command == "try");
    match error.exit_code() {
        0 => ExitCode::SUCCESS,
        _ if is_gate => ExitCode::from(Judged::Incomparable.exit_code()),
        code => ExitCode::from(u8::try_from(code).unwrap_or(2)),
    }
}

/// Returns the exit code of a command for which 1 and 2 are verdicts: its errors have another code.
fn verdict(judged: Result<Judged, CliError>) -> Outcome {
    Outcome::Gate(judged.unwrap_or_else(|error| {
        report(&error);
        Judged::Incomparable
    }))
}

fn report(error: &CliError) {
    eprintln!("syclscope: {}", text::safe(&standard_input::without_copy(&error.to_string())));
}

fn print(text: &str) -> Result<Outcome, CliError> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        // The reader of the output has enough (`| head`).
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Outcome::Success),
        Err(error) => Err(CliError::Print { error }),
        Ok(()) => Ok(Outcome::Success),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn help_is_not_broken_in_the_middle_of_its_lines() {
        let command = Cli::command();
        for command in std::iter::once(&command).chain(command.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines() {
                assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
            }
        }
    }

    #[test]
    fn a_command_that_prints_json_has_the_short_form() {
        let command = Cli::command();
        let option = |command: &clap::Command, name: &str| {
            command.get_arguments().find(|one| one.get_long() == Some(name)).cloned()
        };
        for command in command.get_subcommands() {
            let formats = option(command, "format").map(|format| format.get_possible_values());
            let has = |name: &str| formats.iter().flatten().any(|format| format.get_name() == name);
            // The formats of a recording have no text.
            let prints_json = has("json") && has("text");
            assert_eq!(prints_json, option(command, "json").is_some(), "{}", command.get_name());
        }
    }
}
