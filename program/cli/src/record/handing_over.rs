//! Delivers recordings after the run: uploads them to a server, or stores them for `syclscope sync`.

use std::path::{Path, PathBuf};

use crate::CliError;
use crate::share::{Reach, Sharing, keep, send};
use syclscope_client::{ServerAddress, Spool};
use syclscope_launcher as launcher;
use syclscope_launcher::Recording;
use syclscope_text as text;

#[derive(Debug, clap::Args)]
pub(super) struct HandingOver {
    /// Upload the recording to a team's server when the program has ended, and print its URL on standard error
    #[arg(long, value_name = "ADDRESS", help_heading = "Sharing")]
    share: Option<ServerAddress>,
    /// Also keep the recording in a folder, for `syclscope sync` to upload
    #[arg(long, value_name = "FOLDER", conflicts_with = "share", help_heading = "Sharing")]
    spool: Option<PathBuf>,
    #[command(flatten)]
    sharing: Sharing,
    #[command(flatten)]
    reach: Reach,
}

impl HandingOver {
    /// Delivers the recordings. Errors are only printed, because the program has run and this process exits
    /// with its status.
    pub(super) fn run(&self, recording: &Recording, quiet: bool) {
        if let Some(folder) = &self.spool {
            let spool = Spool::in_folder(folder);
            for path in files(recording) {
                match keep(&spool, &self.sharing.recording(&path, None)) {
                    Ok(kept) if !quiet => eprintln!(
                        "syclscope: {} waits for `syclscope sync {}`",
                        text::path(&kept),
                        text::path(folder)
                    ),
                    Ok(_) => {}
                    Err(error) => {
                        let error = text::safe(&error.to_string());
                        eprintln!("syclscope: warning: can't store the recording: {error}");
                    }
                }
            }
        }
        if let Some(server) = self.share.clone()
            && let Err((path, error)) = self.share_all(server, recording, quiet)
        {
            let path = path.map_or_else(|| "FILE".to_owned(), |path| text::path(&path));
            let error = text::safe(&error.to_string());
            eprintln!("syclscope: warning: {error}. To try again: `syclscope share {path}`");
        }
    }

    fn share_all(
        &self,
        server: ServerAddress,
        recording: &Recording,
        quiet: bool,
    ) -> Result<(), (Option<PathBuf>, CliError)> {
        let client = self.reach.client(server).map_err(|error| (None, error))?;
        for path in files(recording) {
            let link = self.sharing.link();
            match send(&client, &self.sharing.recording(&path, None), link.as_ref(), quiet) {
                Ok(address) => eprintln!("syclscope: {address}"),
                Err(error) => return Err((Some(path), error)),
            }
        }
        Ok(())
    }
}

/// Returns the files of a run: the merged file, or the file of every process.
fn files(recording: &Recording) -> Vec<PathBuf> {
    match &recording.merged {
        Some(Ok(launcher::Merged { path, .. })) => vec![path.clone()],
        _ => recording
            .processes
            .iter()
            .flat_map(|process| process.files().into_iter().map(Path::to_owned))
            .collect(),
    }
}
