//! `syclscope recover`: creates recordings from the buffers of an interrupted run.

use std::path::PathBuf;

use super::{CliError, Outcome};
use syclscope_launcher as launcher;

/// Recover recordings from an interrupted run
///
/// Only needed if `syclscope record` asks for it, because the process that writes the recording was killed.
/// Its file has the events written before; the rest goes to another file beside it.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder that `syclscope record` has printed
    folder: PathBuf,
    /// Subscriber that the run was recorded with, if not the built-in one
    #[arg(long, value_name = "PATH")]
    subscriber: Option<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let folder = syclscope_text::path(&arguments.folder);
    if launcher::recover(&arguments.folder, arguments.subscriber.as_deref())? {
        eprintln!(
            "syclscope: wrote the events left in {folder} to files beside the recordings, and removed the folder"
        );
        return Ok(Outcome::Success);
    }
    eprintln!("syclscope: {folder} has no buffers of an interrupted run");
    Ok(Outcome::Failure)
}
