//! rustfmt and clippy of the active toolchain.

use std::process::Command;
use std::time::Duration;

use super::Step;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct Components;

impl Step for Components {
    fn name(&self) -> String {
        "rustfmt, clippy".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let version = |subcommand: &str| process::answer(workspace.cargo().args([subcommand, "--version"]));
        match (version("fmt"), version("clippy")) {
            (Ok(fmt), Ok(clippy)) => Ok(format!("{}, {}", short(&fmt), short(&clippy))),
            (Err(_), _) => Err("rustfmt is missing".to_owned()),
            (_, Err(_)) => Err("clippy is missing".to_owned()),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let mut command = Command::new("rustup");
        command.args(["component", "add", "rustfmt", "clippy"]).current_dir(&workspace.root);
        process::logged(&mut command, &workspace.log("install-components"), Duration::from_secs(600))
    }

    fn by_hand(&self, _: &Workspace) -> String {
        "rustup component add rustfmt clippy, or what your system calls them".to_owned()
    }
}

/// `rustfmt 1.8.0-stable (…)` without the part in parentheses.
fn short(printed: &str) -> &str {
    printed.split(" (").next().unwrap_or(printed)
}
