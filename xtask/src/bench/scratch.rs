//! A folder for recordings of a gigabyte.

use std::path::{Path, PathBuf};

use crate::failure::{AtPath, Result};
use crate::workspace::Workspace;

pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(workspace: &Workspace, name: &str) -> Result<Self> {
        let folder = workspace.target.join("xtask").join(name);
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        Ok(Self(folder))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it stays, only disk space is lost.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
