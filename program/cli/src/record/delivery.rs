//! Delivers recordings after the run: uploads them to a server, or stores them for `syclscope sync`.

use std::path::{Path, PathBuf};

use crate::CliError;
use crate::share::{Reach, Sharing, keep, send};
use syclscope_client::{ServerAddress, Spool};
use syclscope_launcher as launcher;
use syclscope_launcher::Recording;
use syclscope_text as text;

#[derive(Debug, clap::Args)]
pub(super) struct Delivery {
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

impl Delivery {
    /// Checks that there is an upload to which the options of one apply.
    pub(super) fn check(&self) -> Result<(), CliError> {
        match self.sharing.given() {
            Some(option) if self.share.is_none() && self.spool.is_none() => {
                Err(CliError::NoUpload { option })
            }
            _ => Ok(()),
        }
    }

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
                        text::shell_word(&text::path(folder))
                    ),
                    Ok(_) => {}
                    Err(error) => {
                        let error = text::safe(&error.to_string());
                        eprintln!("syclscope: warning: can't store the recording: {error}");
                    }
                }
            }
        }
        if let Some(server) = &self.share
            && let Err((unsent, error)) = self.share_all(server, recording, quiet)
        {
            let error = text::safe(&error.to_string());
            eprintln!("syclscope: warning: {error}. To try again: `{}`", self.again(server, &unsent));
        }
    }

    /// Uploads the recordings. Returns the first error, with the files that are not uploaded.
    fn share_all(
        &self,
        server: &ServerAddress,
        recording: &Recording,
        quiet: bool,
    ) -> Result<(), (Vec<PathBuf>, CliError)> {
        let files = files(recording);
        if files.is_empty() {
            return Ok(());
        }
        let client = self.reach.client(server.clone()).map_err(|error| (files.clone(), error))?;
        for (number, path) in files.iter().enumerate() {
            let link = self.sharing.link();
            match send(&client, &self.sharing.recording(path, None), link.as_ref(), quiet) {
                Ok(address) => eprintln!("syclscope: {address}"),
                Err(error) => return Err((files.iter().skip(number).cloned().collect(), error)),
            }
        }
        Ok(())
    }

    /// Returns the command that uploads these files with the same options, except for those of a link.
    fn again(&self, server: &ServerAddress, unsent: &[PathBuf]) -> String {
        let mut words = vec!["syclscope".to_owned(), "share".to_owned()];
        words.extend(unsent.iter().map(|path| path.to_string_lossy().into_owned()));
        words.extend(["--to".to_owned(), server.to_string()]);
        words.extend(self.sharing.words());
        words.extend(self.reach.words());
        let words: Vec<String> = words.iter().map(|word| text::shell_word(&text::safe(word))).collect();
        words.join(" ")
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

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        delivery: Delivery,
    }

    #[test]
    fn options_of_an_upload_need_one() {
        let refusal = |words: &[&str]| {
            let words = ["record"].iter().chain(words).copied();
            let checked = Command::try_parse_from(words).unwrap().delivery.check();
            checked.map_err(|error| error.to_string().split(' ').next().map(str::to_owned))
        };
        for words in [&["--link"][..], &["--project", "solver"], &["--label", "branch:main"]] {
            assert_eq!(refusal(words), Err(Some(words[0].to_owned())));
            assert_eq!(refusal(&[words, &["--share", "https://traces.example"]].concat()), Ok(()));
        }
        assert_eq!(refusal(&["--project", "solver", "--spool", "waiting"]), Ok(()));
        assert_eq!(refusal(&[]), Ok(()));
    }

    #[test]
    fn a_failed_upload_comes_with_the_command_that_repeats_it() {
        let server = ["record", "--share", "https://traces.example/", "--token-file", "my token"];
        let about = ["--project", "solver", "--label", "branch:main"];
        let Command { delivery } = Command::try_parse_from(server.into_iter().chain(about)).unwrap();
        let unsent = ["/w/run.pftrace", "/w/run.7.pftrace"].map(PathBuf::from);
        assert_eq!(
            delivery.again(delivery.share.as_ref().unwrap(), &unsent),
            "syclscope share /w/run.pftrace /w/run.7.pftrace --to https://traces.example --project solver \
             --label branch:main --token-file 'my token'"
        );
    }
}
