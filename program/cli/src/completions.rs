//! `syclscope completions`: what lets a shell complete the command line.

use clap::CommandFactory as _;
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

/// The command line without what other programs call.
fn without_hidden(command: clap::Command) -> clap::Command {
    let shown: Vec<clap::Command> =
        command.get_subcommands().filter(|one| !one.is_hide_set()).cloned().collect();
    let arguments: Vec<clap::Arg> = command.get_arguments().cloned().collect();
    clap::Command::new("syclscope").version(env!("CARGO_PKG_VERSION")).args(arguments).subcommands(shown)
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut without_hidden(Cli::command()), "syclscope", &mut script);
    print(String::from_utf8_lossy(&script).trim_end())
}
