//! `syclscope man`: the manual pages.

mod markdown;

use std::io;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;

use super::{Cli, CliError, Outcome};
use syclscope_system::private_files;

/// Write the manual pages, one for each subcommand
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  syclscope man ~/.local/share/man/man1 && man syclscope-record")]
pub(super) struct Arguments {
    /// Folder for the pages; created if missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Write one Markdown page for all subcommands instead, commands.md
    #[arg(long)]
    markdown: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let Arguments { folder, markdown } = arguments;
    let written = std::fs::create_dir_all(&folder).and_then(|()| match markdown {
        true => {
            private_files::write(&folder.join("commands.md"), MODE, markdown::text(Cli::command()).as_bytes())
        }
        false => {
            let mut command = Cli::command().disable_help_subcommand(true);
            command.build();
            pages(&command, &folder)
        }
    });
    written.map(|()| Outcome::Success).map_err(|error| CliError::ManualPages { folder, error })
}

/// Mode of a page, subject to the umask.
const MODE: u32 = 0o666;

fn pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below, folder)?;
    }
    let (page, mut text) = (clap_mangen::Man::new(command.clone()), Vec::new());
    page.render(&mut text)?;
    private_files::write(&folder.join(page.get_filename()), MODE, &text)
}
