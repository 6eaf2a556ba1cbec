//! `syclscope man`: the manual pages.

mod markdown;

use std::path::PathBuf;

use clap::CommandFactory as _;

use super::{Cli, CliError, Outcome};

/// Write the manual pages, one for each subcommand
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  syclscope man ~/.local/share/man/man1 && man syclscope-record")]
pub(super) struct Arguments {
    /// Folder for the pages, which is made where it is missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Write one page for all subcommands instead, commands.md, in Markdown
    #[arg(long)]
    markdown: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let Arguments { folder, markdown } = arguments;
    let written = std::fs::create_dir_all(&folder).and_then(|()| match markdown {
        true => std::fs::write(folder.join("commands.md"), markdown::text(Cli::command())),
        false => clap_mangen::generate_to(Cli::command(), &folder),
    });
    written.map(|()| Outcome::Success).map_err(|error| CliError::ManualPages { folder, error })
}
