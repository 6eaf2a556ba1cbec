//! The process that drains a program's buffers, as `syclscope record` starts it.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::failure::{AtPath, Failure, Result};

/// The process. It removes the folder of the buffers when it ends.
pub(super) struct Beside {
    process: Child,
    program: PathBuf,
}

impl Beside {
    /// Starts it, and makes `recorded` create its buffers in a folder in memory.
    pub(super) fn start(drain: &Path, recorded: &mut Command) -> Result<Self> {
        let folder = PathBuf::from(format!("/dev/shm/syclscope-rings-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder).at("create", &folder)?;
        let mut command = Command::new(drain);
        command.arg(&folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().at("start", drain)?;
        let mut word = String::new();
        if let Some(words) = process.stdout.take() {
            BufReader::new(words).read_line(&mut word).at("read from", drain)?;
        }
        if word.trim() != "ready" {
            return Err(Failure::new(format!("{} is not ready: {word}", drain.display())));
        }
        recorded.env("SYCLSCOPE_RINGS", folder);
        Ok(Self { process, program: drain.to_owned() })
    }

    pub(super) fn end(mut self) -> Result<()> {
        drop(self.process.stdin.take());
        let status = self.process.wait().at("wait for", &self.program)?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("{} ended with {status}", self.program.display())))
    }
}
