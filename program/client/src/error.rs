//! Why a recording could not be shared.

use std::io;
use std::path::PathBuf;

use super::ServerAddress;

/// Why a recording could not be shared. What has arrived of it stays on the server for some days: sharing it again goes on
/// from there.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The recording can't be read.
    #[error("{} can't be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A downloaded recording can't be written.
    #[error("{} can't be written: {error}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The recording is still being written.
    #[error("{} changed while it was being sent; share it again when it is complete", .0.display())]
    Changed(PathBuf),
    /// A token would go over the network as it is.
    #[error(
        "{0} is not encrypted, and everybody on the way could read the token: use https, or add --allow-http if the \
         network is your own"
    )]
    TokenInTheClear(ServerAddress),
    /// The token holds what no header may hold.
    #[error("not a token: it has spaces or other characters that tokens never have")]
    NotAToken,
    /// The client can't be made.
    #[error("can't prepare connections: {0}")]
    Setup(String),
    /// Nobody answers, for as long as the user waits.
    #[error(
        "{server} can't be reached: {reason}. What has arrived stays there: the same command goes on from that"
    )]
    Unreachable {
        server: ServerAddress,
        /// Last error of the network.
        reason: String,
    },
    /// The server wants to know who this is.
    #[error(
        "{0} lets nobody do this without a token that may: put yours into SYCLSCOPE_TOKEN, or into a file for \
         --token-file ({1})"
    )]
    NotAllowed(ServerAddress, String),
    /// The server answers in another way than ours does.
    #[error("{0} is not a syclscope server that accepts uploads ({1})")]
    NotOurs(ServerAddress, String),
    /// The server refuses, and says why.
    #[error("{server} refuses: {message}")]
    Refused {
        server: ServerAddress,
        /// Its words.
        message: String,
    },
    /// The upload is complete, and the server can't make a trace of it.
    #[error("{}: {message}", path.display())]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// The server's words.
        message: String,
    },
}
