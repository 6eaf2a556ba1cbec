//! `syclscope recover`: makes recordings from the remains of a run.

use std::path::PathBuf;

use super::{CliError, Outcome};
use syclscope_launcher as launcher;

/// Recover recordings from an interrupted run
///
/// Only needed when `syclscope record` says so, because the process that writes the recording was killed. Its file
/// holds the events written before; the rest goes to another file beside it.
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
            "syclscope: what was left in {folder} is in files beside the recordings, and the folder is gone"
        );
        return Ok(Outcome::Success);
    }
    eprintln!("syclscope: {folder} holds nothing that a run has left");
    Ok(Outcome::Failure)
}
