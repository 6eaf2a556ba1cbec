//! `syclscope man`: the manual pages.

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
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let folder = arguments.folder;
    let written =
        std::fs::create_dir_all(&folder).and_then(|()| clap_mangen::generate_to(Cli::command(), &folder));
    written.map(|()| Outcome::Success).map_err(|error| CliError::ManualPages { folder, error })
}
