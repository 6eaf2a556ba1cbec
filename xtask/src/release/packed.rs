//! Inputs of a release.

use std::path::PathBuf;

use crate::artefacts::released::Build;
use crate::workspace::Workspace;

pub(crate) struct Release<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) version: String,
    /// Time of files in archives, in seconds since 1970: that of the commit.
    pub(crate) epoch: String,
    pub(crate) native: Build,
    pub(crate) others: Vec<Build>,
    pub(crate) folder: PathBuf,
}

impl Release<'_> {
    /// All builds, this machine's first.
    pub(crate) fn builds(&self) -> impl Iterator<Item = &Build> {
        std::iter::once(&self.native).chain(&self.others)
    }
}
