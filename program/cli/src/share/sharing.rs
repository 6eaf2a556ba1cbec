//! Options of all commands that upload recordings.

use std::path::{Path, PathBuf};

use syclscope_client::{Client, Recording, ServerAddress};
use syclscope_language::api::NewLink;
use syclscope_launcher::Period;
use syclscope_server::db::{labels, now_unix_ns};

use crate::CliError;
use crate::lifetime::Lifetime;

const TOKEN: &str = "SYCLSCOPE_TOKEN";

/// Metadata of a recording.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Sharing {
    /// Project to upload to [default: the server's]
    #[arg(long, value_name = "NAME", help_heading = "Sharing")]
    project: Option<String>,
    /// Label to set, also as KEY=VALUE; may be repeated
    #[arg(long, value_name = "KEY:VALUE", value_parser = label, help_heading = "Sharing")]
    label: Vec<(String, String)>,
    /// Print a share link, which opens this trace, and no other, without an account
    #[arg(long, conflicts_with = "spool", help_heading = "Sharing")]
    link: bool,
    /// Lifetime of the link, like 7d or 12h [default: until it is revoked]
    #[arg(long, value_name = "TIME", requires = "link", help_heading = "Sharing")]
    expires: Option<Lifetime>,
    /// Maximum number of openings [default: no limit]
    #[arg(long, value_name = "N", requires = "link", help_heading = "Sharing",
        value_parser = clap::value_parser!(u32).range(1..))]
    openings: Option<u32>,
}

/// Connection to a server.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Reach {
    /// File with the access token [default: SYCLSCOPE_TOKEN]
    #[arg(long, value_name = "FILE", help_heading = "Sharing")]
    token_file: Option<PathBuf>,
    /// Send the token over plain http, where others on the network can read it
    #[arg(long, help_heading = "Sharing")]
    allow_http: bool,
    /// Maximum time to retry without a response, like 30s or 10m
    #[arg(long, value_name = "TIME", default_value = "5m", help_heading = "Sharing")]
    retry_for: Period,
}

impl Sharing {
    pub(crate) fn link(&self) -> Option<NewLink> {
        let expires_unix_ns = self.expires.and_then(|lifetime| lifetime.end(now_unix_ns()));
        self.link.then_some(NewLink { name: None, expires_unix_ns, openings: self.openings, range: None })
    }

    pub(crate) fn recording(&self, path: &Path, name: Option<String>) -> Recording {
        let own = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Recording {
            path: path.to_owned(),
            name: name.unwrap_or_else(own),
            project: self.project.clone(),
            labels: self.label.iter().cloned().collect(),
        }
    }

    /// Returns the first option that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--project", self.project.is_some()),
            ("--label", !self.label.is_empty()),
            ("--link", self.link),
        ];
        options.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Returns the options of project and labels.
    pub(crate) fn words(&self) -> Vec<String> {
        let project = self.project.iter().flat_map(|project| ["--project".to_owned(), project.clone()]);
        let labels =
            self.label.iter().flat_map(|(key, value)| ["--label".to_owned(), format!("{key}:{value}")]);
        project.chain(labels).collect()
    }
}

impl Reach {
    pub(crate) fn client(&self, server: ServerAddress) -> Result<Client, CliError> {
        let token = match &self.token_file {
            Some(path) => {
                let read = std::fs::read_to_string(path);
                let unreadable = |error: std::io::Error| CliError::Unreadable {
                    path: path.clone(),
                    error: error.to_string(),
                };
                Some(read.map_err(unreadable)?)
            }
            None => std::env::var(TOKEN).ok().filter(|token| !token.trim().is_empty()),
        };
        Ok(Client::new(server, token.as_deref(), self.allow_http, self.retry_for.0)?)
    }

    /// Returns the options without which the server would refuse the upload.
    pub(crate) fn words(&self) -> Vec<String> {
        let file = self.token_file.iter().map(|path| path.to_string_lossy().into_owned());
        let file = file.flat_map(|path| ["--token-file".to_owned(), path]);
        file.chain(self.allow_http.then(|| "--allow-http".to_owned())).collect()
    }
}

/// Parses a label as the server does.
///
/// # Errors
/// Returns an error if the label has no separator or no key. A value may be empty.
pub(super) fn label(text: &str) -> Result<(String, String), String> {
    labels::read(text).map_err(|_| "write a label as KEY:VALUE, like branch:main".to_owned())
}
