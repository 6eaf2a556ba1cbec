//! The crate `bench`: built natively, and as a WebAssembly module for the scripts in `e2e/bench`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::process;
use crate::say;
use crate::setup::wasm_target::{TARGET, Toolchain, WasmTarget};
use crate::setup::{self, node::Node};
use crate::workspace::Workspace;

pub(super) fn native(workspace: &Workspace) -> Result<PathBuf> {
    say::begins("building", "bench", "optimised …");
    let target = target(workspace);
    process::logged(&mut build(workspace, &target), &workspace.log("bench-native"), process::PATIENCE)?;
    Ok(target.join("release"))
}

/// Builds the module, runs a script of `e2e/bench` with it, and returns the output.
pub(super) fn timed_by(workspace: &Workspace, script: &str) -> Result<String> {
    setup::bring(workspace, &Node::FOR_PAGE)?;
    setup::bring(workspace, &WasmTarget)?;
    say::begins("building", "bench", "for WebAssembly …");
    let toolchain =
        Toolchain::find(workspace).ok_or_else(|| Failure::new("there is no wasm32 standard library"))?;
    let target = target(workspace);
    let mut wasm = build(workspace, &target);
    wasm.args(["--lib", "--target", TARGET]);
    toolchain.apply(workspace, &mut wasm, &[]);
    process::logged(&mut wasm, &workspace.log("bench-wasm"), process::PATIENCE)?;
    say::begins("measuring", script, "in node");
    let mut node = Command::new("node");
    node.arg(workspace.root.join("e2e/bench").join(script));
    process::answer(node.arg(target.join(TARGET).join("release/syclscope_bench.wasm")))
}

fn target(workspace: &Workspace) -> PathBuf {
    workspace.target.join("bench")
}

fn build(workspace: &Workspace, target: &Path) -> Command {
    let mut build = workspace.cargo();
    build.args(["build", "--release", "--locked", "--manifest-path", "bench/Cargo.toml", "--target-dir"]);
    build.arg(target);
    build
}
