//! Checks that `trunk build` makes a working page: built with the real Trunk and opened in the browser.

use std::process::Command;

use super::end_to_end;
use super::runner::{Done, Runner};
use super::tally::Tally;
use crate::artefacts::program::Profile;
use crate::failure::{Failure, Result};
use crate::process;
use crate::setup::binaryen::Binaryen;
use crate::setup::cargo_tools::{TRUNK, WASM_BINDGEN};
use crate::setup::wasm_target::Toolchain;
use crate::setup::{self, Step as _};
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let mut folders = vec![Binaryen::bin(workspace)];
    let mut trunk = None;
    for tool in [WASM_BINDGEN, TRUNK] {
        setup::bring(workspace, &tool)?;
        let program = tool.find(workspace).ok_or_else(|| Failure::new(format!("{} is gone", tool.name())))?;
        folders.extend(program.parent().map(Into::into));
        trunk = Some(program);
    }
    let toolchain = Toolchain::find(workspace).ok_or_else(|| Failure::new("there is no wasm32 target"))?;
    let dist = workspace.target.join("dist-trunk");
    let mut command = Command::new(trunk.unwrap_or_default());
    command.args(["build", "--release", "--offline", "--dist"]).arg(&dist).current_dir(&workspace.root);
    toolchain.apply(workspace, &mut command, &folders);
    // Trunk reads NO_COLOR as true or false and rejects any other value.
    command.env_remove("NO_COLOR");
    process::logged(&mut command, &workspace.log("trunk"), process::PATIENCE)?;

    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "page/trunk.mjs"]).env("TRUNK_PAGE", &dist);
    end_to_end::prepare(workspace, Profile::Tested, &mut node)?;
    Runner::Node.run(workspace, "trunk-page", &mut node, tally)
}
