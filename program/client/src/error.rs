//! Errors of sharing and fetching recordings.

use std::io;
use std::path::{Path, PathBuf};

use super::ServerAddress;

/// Error while sharing or fetching a recording. The parts that arrived stay on the server for some days, and a new
/// attempt sends only the rest.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    #[error("{} can't be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{} can't be written: {error}", path.display())]
    Unwritable { path: PathBuf, error: io::Error },
    /// The recording is still being written.
    #[error("{} changed while it was being sent; share it again when it is complete", .0.display())]
    Changed(PathBuf),
    #[error(
        "{0} is not encrypted, so others on the network could read the token: use https, or add --allow-http if the \
         network is trusted"
    )]
    TokenInTheClear(ServerAddress),
    /// The token has characters that HTTP headers can't have.
    #[error("invalid token: it contains spaces or other characters that tokens never have")]
    NotAToken,
    #[error("can't set up the HTTP client: {0}")]
    Setup(String),
    /// The server didn't respond for as long as the client's patience.
    #[error("can't reach {server}: {reason}{}", if *is_upload {
        ". Parts that arrived are kept; repeat the command to send the rest"
    } else { "" })]
    Unreachable { server: ServerAddress, reason: String, is_upload: bool },
    #[error(
        "{0} requires a token with this permission: set SYCLSCOPE_TOKEN, or name a file with \
         --token-file ({1})"
    )]
    NotAllowed(ServerAddress, String),
    /// The response is not that of a syclscope server.
    #[error("{0} is not a syclscope server for uploads and downloads ({1})")]
    NotOurs(ServerAddress, String),
    #[error("{server} refused the request: {message}")]
    Refused {
        server: ServerAddress,
        /// The name of the server's error.
        code: String,
        message: String,
    },
    /// The server accepts no recording like this one.
    #[error("{}: {server} refused it: {message}", path.display())]
    Unacceptable { path: PathBuf, server: ServerAddress, message: String },
    #[error("{server} lost the upload {attempts} times; retry later")]
    Lost { server: ServerAddress, attempts: u32 },
    /// The upload is complete, but the server can't read it as a trace.
    #[error("{}: {message}", path.display())]
    NotATrace { path: PathBuf, message: String },
}

impl ShareError {
    /// True if other files can be shared nevertheless.
    #[must_use]
    pub fn concerns_one_file(&self) -> bool {
        matches!(
            self,
            Self::Unreadable { .. } | Self::Changed(_) | Self::Unacceptable { .. } | Self::NotATrace { .. }
        )
    }

    /// Adds the path of a recording if the server refused the recording itself, and would accept another one.
    pub(super) fn about(self, path: &Path) -> Self {
        match self {
            Self::Refused { server, code, message }
                if ["too_large", "not_a_trace"].contains(&code.as_str()) =>
            {
                Self::Unacceptable { path: path.to_owned(), server, message }
            }
            error => error,
        }
    }
}
