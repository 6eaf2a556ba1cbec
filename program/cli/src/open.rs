//! `syclscope open`: shows a trace, or the traces of a folder, in the browser.

use std::path::{Path, PathBuf};

use super::open_browser::{First, Showing};
use super::{CliError, Outcome, standard_input};
use syclscope_server::storage::Files;

/// Show a trace, or the traces of a folder, in the browser
///
/// Only your account on this computer can open the page. The files are read and never changed. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope open run.pftrace
  syclscope open recordings/
  ssh node cat run.pftrace | syclscope open -
  syclscope open --no-browser --port 8080 run.json

On a remote computer? Forward the port with `ssh -L 4717:127.0.0.1:4717 HOST`, and open the printed
address.")]
pub(super) struct Arguments {
    /// Trace file (Perfetto or Chrome JSON), or a folder of them; - for a trace from standard input
    #[arg(value_name = "FILE|FOLDER")]
    path: PathBuf,
    #[command(flatten)]
    showing: Showing,
}

pub(super) fn run(mut arguments: Arguments) -> Result<Outcome, CliError> {
    let scratch = standard_input::replace(&mut arguments.path)?;
    let path = &arguments.path;
    let shown = if scratch.is_some() { Path::new(standard_input::NAME) } else { path };
    let unreadable = |error: syclscope_server::storage::StorageError| CliError::Unreadable {
        path: path.clone(),
        error: error.to_string(),
    };
    let files = Files::at(path).map_err(unreadable)?;
    let only = files.only().transpose().map_err(unreadable)?;
    let first = only.map(|stored| First { stored, path: shown });
    arguments.showing.show(files, first, |_| ())?;
    Ok(Outcome::Success)
}
