//! `syclscope demo`: shows the embedded recordings, with a tour.

mod tour;

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::open_browser::{First, Showing};
use super::scratch::Scratch;
use super::{CliError, Outcome};
use syclscope_server::storage::{Files, StorageError};
use syclscope_system::embedded::{self, EmbeddedRecording};
use syclscope_system::private_files;

/// Show the built-in recordings, with a tour; needs no SYCL runtime
///
/// They are real programs of syclscope's repository on the CPU device of oneAPI 2026.2: `heat` (examples/cpp) spreads
/// heat on a plate; `sub_buffers` (a test) works on two halves of a buffer, first in a way that makes them wait for one
/// another. They are in a temporary folder, unless --keep names one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope demo
  syclscope demo --keep demo/          the recordings stay there, to try other commands on
  syclscope summary demo/heat.pftrace")]
pub(super) struct Arguments {
    /// Write the recordings to this folder, and keep them
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    showing: Showing,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    // Lives as long as its files are shown.
    let scratch;
    let folder = match &arguments.keep {
        Some(folder) => folder.as_path(),
        None => {
            scratch = Scratch::new()?;
            scratch.path()
        }
    };
    for recording in embedded::recordings() {
        unpack(recording, folder)?;
    }
    let unreadable =
        |error: StorageError| CliError::Unreadable { path: folder.to_owned(), error: error.to_string() };
    let files = Files::at(folder).map_err(unreadable)?;
    let path = folder.join(tour::FIRST);
    let only = Files::at(&path).map_err(unreadable)?.only().transpose().map_err(unreadable)?;
    let first = only.map(|stored| First { stored, path: Path::new(tour::FIRST) });
    arguments.showing.show(files, first, |address| eprint!("{}", tour::text(address, folder)))?;
    Ok(Outcome::Success)
}

/// Writes a recording to a folder, unless it is already there, and completes one that an interrupted call left. Refuses
/// to overwrite a file of this name with other contents.
fn unpack(recording: &EmbeddedRecording, folder: &Path) -> Result<(), CliError> {
    let path = folder.join(recording.name);
    let failed = |error: std::io::Error| CliError::Demo { path: path.clone(), error };
    let mut bytes = Vec::new();
    GzDecoder::new(recording.gzip).read_to_end(&mut bytes).map_err(failed)?;
    std::fs::create_dir_all(folder).map_err(failed)?;
    match private_files::create_with(&path, 0o666) {
        Ok(mut file) => file.write_all(&bytes).map_err(failed),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let present = std::fs::read(&path).ok().filter(|present| bytes.starts_with(present));
            match present {
                Some(whole) if whole.len() == bytes.len() => Ok(()),
                Some(_) => private_files::write(&path, 0o666, &bytes).map_err(failed),
                None => Err(failed(error)),
            }
        }
        Err(error) => Err(failed(error)),
    }
}
