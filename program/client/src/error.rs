//! Why a recording could not be shared.

use std::io;
use std::path::PathBuf;

use super::ServerAddress;

/// The part of a recording that has arrived stays on the server for some days: sharing it again goes on from there.
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
        "{0} is not encrypted, and everybody on the way could read the token: use https, or add --allow-http if the \
         network is your own"
    )]
    TokenInTheClear(ServerAddress),
    /// The token has characters that no header may have.
    #[error("not a token: it has spaces or other characters that tokens never have")]
    NotAToken,
    #[error("can't prepare connections: {0}")]
    Setup(String),
    /// Nobody answers for as long as the client's patience.
    #[error(
        "{server} can't be reached: {reason}. What has arrived stays there: the same command goes on from that"
    )]
    Unreachable { server: ServerAddress, reason: String },
    #[error(
        "{0} lets nobody do this without a token that may: put yours into SYCLSCOPE_TOKEN, or into a file for \
         --token-file ({1})"
    )]
    NotAllowed(ServerAddress, String),
    /// Another kind of server answers.
    #[error("{0} is not a syclscope server that accepts uploads ({1})")]
    NotOurs(ServerAddress, String),
    #[error("{server} refuses: {message}")]
    Refused { server: ServerAddress, message: String },
    /// The upload is complete, and the server can't make a trace of it.
    #[error("{}: {message}", path.display())]
    NotATrace { path: PathBuf, message: String },
}
