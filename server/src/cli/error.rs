//! Errors of subcommands, and the only place that knows exit codes.

use crate::launch::LaunchError;

/// Why a subcommand failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    /// A recording could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl CliError {
    /// The process's exit code. Errors in the command line end with 2 before anything runs.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Launch(LaunchError::ProgramNotFound { .. }) => 127,
            Self::Launch(LaunchError::NotExecutable { .. } | LaunchError::Start { .. }) => 126,
            Self::Launch(_) => 1,
        }
    }
}
