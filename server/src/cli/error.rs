//! Errors of subcommands, and the only place that knows exit codes.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::launch::{LaunchError, MergeFailure};
use crate::page::NoIndex;
use crate::storage::OpenError;

/// Why a subcommand failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    /// A recording could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Recordings could not be merged.
    #[error(transparent)]
    Merge(MergeFailure),
    /// A trace could not be converted.
    #[error(transparent)]
    Convert(#[from] super::convert::ConvertError),
    /// A file is of a kind that is written and not read.
    #[error("{} is {what}, which can be written but not read: give the recording that it was made from", path.display())]
    OneWay {
        /// As the user wrote it.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A section has no part for a selection.
    #[error(
        "`{section}` tells of the whole run: leave --from, --to and --where out, or choose slices, kernels, copies or waits"
    )]
    OfTheRun {
        /// Its title.
        section: &'static str,
    },
    /// The trace can't answer.
    #[error("{error}")]
    Query {
        /// Why.
        error: syclscope_engine::query::QueryError,
    },
    /// The data folder can't be used.
    #[error(transparent)]
    DataFolder(#[from] OpenError),
    /// The folder of `--page` holds no page.
    #[error(transparent)]
    Page(#[from] NoIndex),
    /// A file or folder can't be read.
    #[error("{} can't be read: {error}", path.display())]
    Unreadable {
        /// As the user wrote it.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// A file can't be imported.
    #[error("{}: {error}", path.display())]
    NotATrace {
        /// As the user wrote it.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// The chosen port is taken.
    #[error(
        "port {port} on 127.0.0.1 is taken by another program. Choose another with --port, or leave --port out \
         to get a free one"
    )]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// The server can't listen.
    #[error("the page can't be served on 127.0.0.1: {error}. Choose another port with --port")]
    Listen {
        /// Why.
        error: io::Error,
    },
    /// The chosen address is taken.
    #[error("{address} is taken by another program. Choose another port with --listen")]
    AddressTaken {
        /// The address.
        address: SocketAddr,
    },
    /// The server can't listen at the chosen address.
    #[error("the server can't listen on {address}: {error}. Choose another address with --listen")]
    ListenAt {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// Standard output takes nothing.
    #[error("standard output can't be written: {error}")]
    Print {
        /// Why.
        error: io::Error,
    },
    /// The operating system gives no threads.
    #[error("no threads could be started: {error}")]
    Threads {
        /// Why.
        error: io::Error,
    },
}

impl CliError {
    /// The process's exit code. Errors in the command line end with 2 before anything runs.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Launch(LaunchError::ProgramNotFound { .. }) => 127,
            Self::Launch(LaunchError::NotExecutable { .. } | LaunchError::Start { .. }) => 126,
            _ => 1,
        }
    }
}
