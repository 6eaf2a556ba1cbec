//! Names that most files use.

pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::process::Command;
pub(crate) use std::time::Instant;

pub(crate) use crate::failure::{AtPath, Failure, Result};
pub(crate) use crate::workspace::Workspace;
pub(crate) use crate::{files, process, say};
