//! What a release is made of.

use std::path::PathBuf;

use crate::workspace::Workspace;

/// What all artefacts are made of.
pub(crate) struct Release<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) version: String,
    /// The time that files in archives have, in seconds since 1970: that of the commit.
    pub(crate) epoch: String,
    pub(crate) program: PathBuf,
    pub(crate) subscriber: PathBuf,
    /// Where artefacts go.
    pub(crate) folder: PathBuf,
}
