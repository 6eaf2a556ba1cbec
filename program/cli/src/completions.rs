//! `syclscope completions`: shell completion scripts.

use clap::builder::Resettable;
use clap::{CommandFactory as _, Id};
use clap_complete::{Shell, generate};

use super::{Cli, CliError, Outcome, print};

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope completions bash > ~/.local/share/bash-completion/completions/syclscope
  syclscope completions zsh > \"${fpath[1]}/_syclscope\"
  syclscope completions fish > ~/.config/fish/completions/syclscope.fish")]
pub(super) struct Arguments {
    /// Shell to complete for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Returns a command without the subcommands and options that only other programs use.
fn without_hidden(command: &clap::Command) -> clap::Command {
    let subcommands = command.get_subcommands().filter(|one| !one.is_hide_set()).map(without_hidden);
    let arguments = command.get_arguments().filter(|one| !one.is_hide_set()).map(without_relations);
    let about = command.get_about().cloned().unwrap_or_default();
    clap::Command::new(command.get_name().to_owned()).about(about).args(arguments).subcommands(subcommands)
}

/// Returns an argument without its relations to other arguments, which may be hidden.
fn without_relations(argument: &clap::Arg) -> clap::Arg {
    let argument = argument.clone().required_unless_present(Resettable::<Id>::Reset);
    argument.conflicts_with(Resettable::<Id>::Reset).requires(Resettable::<Id>::Reset)
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let mut script = Vec::new();
    generate(
        arguments.shell,
        &mut without_hidden(&Cli::command().version(env!("CARGO_PKG_VERSION"))),
        "syclscope",
        &mut script,
    );
    print(String::from_utf8_lossy(&script).trim_end())
}
