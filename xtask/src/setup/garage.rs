//! Garage, an S3-compatible store, for a cluster in the server's tests.
//!
//! It is under the AGPL: a program that tests talk to, never a part of this one.

use std::path::PathBuf;

use super::Step;
use super::cargo_tools::GARAGE;
use crate::failure::Result;
use crate::workspace::Workspace;

/// The cluster's program, which takes longer to build than everything else that tests need.
pub(crate) struct Garage {
    /// If false, a machine without it skips it.
    pub(crate) may_build: bool,
}

/// The program if it is in the cache or on PATH, or else the reason for its absence.
pub(crate) fn find(workspace: &Workspace) -> Result<std::result::Result<PathBuf, String>> {
    let missing = || {
        "Garage is not in the cache and its build takes as long as all other tests: `cargo xtask soak` builds it"
            .to_owned()
    };
    Ok(GARAGE.find(workspace).ok_or_else(missing))
}

impl Step for Garage {
    fn name(&self) -> String {
        GARAGE.name()
    }

    fn unavailable(&self, workspace: &Workspace) -> Option<String> {
        if self.may_build { None } else { find(workspace).ok()?.err() }
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        GARAGE.check(workspace)
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        GARAGE.install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        GARAGE.by_hand(workspace)
    }
}
