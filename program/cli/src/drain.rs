//! The hidden subcommand that `syclscope record` runs alongside a program, in a separate process.

use std::path::PathBuf;

use super::{CliError, Outcome};
use syclscope_launcher::drain;

#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(super) struct Arguments {
    /// The subscriber, which has the code for emptying buffers
    subscriber: PathBuf,
    /// Folder of the programs' buffers
    folder: PathBuf,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    match drain::run(&arguments.subscriber, &arguments.folder) {
        Ok(()) => Ok(Outcome::Success),
        Err(why) => {
            eprintln!("syclscope: {why}");
            Ok(Outcome::Failure)
        }
    }
}
