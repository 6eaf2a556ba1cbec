//! A nightly compiler, the only one with coverage and sanitizers for fuzz targets.

use std::process::Command;
use std::time::Duration;

use super::Step;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) const TOOLCHAIN: &str = "nightly";

pub(crate) struct Nightly;

impl Step for Nightly {
    fn name(&self) -> String {
        "nightly Rust".to_owned()
    }

    fn check(&self, _: &Workspace) -> std::result::Result<String, String> {
        let mut command = Command::new("rustup");
        command.args(["run", TOOLCHAIN, "rustc", "--version"]);
        process::answer(&mut command)
            .map(|version| version.trim().to_owned())
            .map_err(|_| "rustup has no nightly toolchain".to_owned())
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let mut command = Command::new("rustup");
        // Not as the default, and with the minimal profile.
        command.args(["toolchain", "install", TOOLCHAIN, "--profile", "minimal", "--no-self-update"]);
        process::logged(&mut command, &workspace.log("nightly"), Duration::from_secs(20 * 60))
    }

    fn by_hand(&self, _: &Workspace) -> String {
        format!("rustup toolchain install {TOOLCHAIN} --profile minimal")
    }
}
