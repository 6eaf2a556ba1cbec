//! What a release is made of.

use std::path::PathBuf;

use crate::artefacts::released::Build;
use crate::workspace::Workspace;

/// What all artefacts are made of.
pub(crate) struct Release<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) version: String,
    /// The time that files in archives have, in seconds since 1970: that of the commit.
    pub(crate) epoch: String,
    /// What runs on this machine.
    pub(crate) native: Build,
    /// What was built beside it, for other machines.
    pub(crate) others: Vec<Build>,
    /// Where artefacts go.
    pub(crate) folder: PathBuf,
}

impl Release<'_> {
    /// All that was built, this machine's first.
    pub(crate) fn builds(&self) -> impl Iterator<Item = &Build> {
        std::iter::once(&self.native).chain(&self.others)
    }
}
