//! `cargo xtask pictures`: the pictures of docs/images, taken from the built page.

use std::process::Command;

use crate::artefacts::program::{self, Profile};
use crate::failure::{Failure, Result};
use crate::process;
use crate::setup::{self, Scope};
use crate::test::end_to_end;
use crate::workspace::Workspace;

/// Builds the program if needed and takes every picture, with the recordings of e2e/traces.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    let mut command = Command::new("node");
    command.arg("pictures/take.mjs").arg(workspace.root.join("docs/images"));
    end_to_end::prepare(workspace, Profile::Release, &mut command)?;
    let status = process::shown(&mut command)?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("{} {status}", process::described(&command))))
    }
}
