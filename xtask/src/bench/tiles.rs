//! What large traces cost in memory, and how fast screens of tiles come: natively and in WebAssembly.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::figure::Figure;
use crate::failure::{Failure, Result};
use crate::process;
use crate::say;
use crate::setup::wasm_target::{TARGET, Toolchain, WasmTarget};
use crate::setup::{self, node::Node};
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(40 * 60);

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::bring(workspace, &Node::FOR_PAGE)?;
    setup::bring(workspace, &WasmTarget)?;
    let target = workspace.target.join("bench");
    say::begins("building", "bench", "optimised …");
    process::logged(&mut build(workspace, &target), &workspace.log("bench-tiles"), LIMIT)?;
    say::begins("measuring", "tiles", "10^5, 10^6 and 10^7 slices");
    let mut native = Command::new(target.join("release/tiles"));
    let mut figures = Figure::read_lines(&process::answer(&mut native)?)?;

    say::begins("building", "bench", "the same for WebAssembly …");
    let toolchain =
        Toolchain::find(workspace).ok_or_else(|| Failure::new("there is no wasm32 standard library"))?;
    let mut wasm = build(workspace, &target);
    wasm.args(["--lib", "--target", TARGET]);
    toolchain.apply(workspace, &mut wasm, &[]);
    process::logged(&mut wasm, &workspace.log("bench-tiles-wasm"), LIMIT)?;
    say::begins("measuring", "tiles", "in node");
    let module = target.join(TARGET).join("release/syclscope_bench.wasm");
    let mut node = Command::new("node");
    node.arg("e2e/bench/tiles.mjs").arg(module).current_dir(&workspace.root);
    figures.extend(Figure::read_lines(&process::answer(&mut node)?)?);
    Ok(figures)
}

fn build(workspace: &Workspace, target: &Path) -> Command {
    let mut build = workspace.cargo();
    build.args(["build", "--release", "--locked", "--manifest-path", "bench/Cargo.toml", "--target-dir"]);
    build.arg(target);
    build
}
