//! Level Zero driver for the tests. It is never shipped, so it is built for development only.

use std::path::PathBuf;

use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

const PACKAGE: &str = "syclscope-test-driver";

pub(crate) fn file(workspace: &Workspace) -> PathBuf {
    workspace.target.join("debug/libze_syclscope_test.so")
}

pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut command = workspace.cargo();
    command.args(["build", "--locked", "--package", PACKAGE]);
    process::logged(&mut command, &workspace.log("build-test-driver"), process::PATIENCE)?;
    Ok(file(workspace))
}
