//! Temporary files of a command.

use std::path::{Path, PathBuf};

use super::CliError;
use syclscope_system::id::Id;
use syclscope_system::private_files;

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Creates a temporary folder for this account only.
    pub(super) fn new() -> Result<Self, CliError> {
        let failed = |error| CliError::Scratch { error };
        let name = format!("syclscope-{}", Id::random().map_err(failed)?);
        let path = syclscope_system::temporary_folder().join(name);
        private_files::create_folder(&path).map_err(failed)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
