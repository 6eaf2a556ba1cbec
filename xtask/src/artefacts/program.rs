//! The one binary, with the page and the subscriber inside.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::page;
use crate::failure::{Failure, Result};
use crate::process;
use crate::say;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(40 * 60);

/// Builds page, subscriber and program, each if need be, and gives the program's file.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    say::heading("build");
    let page = page::build(workspace)?;
    let subscriber = build_subscriber(workspace)?;
    build_program(workspace, &page, &subscriber)
}

/// The program's file, whether it has been built or not.
pub(crate) fn file(workspace: &Workspace) -> PathBuf {
    workspace.target.join("release/syclscope")
}

/// Builds the library that a SYCL runtime loads.
pub(crate) fn build_subscriber(workspace: &Workspace) -> Result<PathBuf> {
    let mut command = workspace.cargo();
    command.args(["build", "--release", "--locked", "--package", "syclscope-subscriber"]);
    let library = workspace.target.join("release/libsyclscope_subscriber.so");
    cargo_build(workspace, "subscriber", &mut command, &library)?;
    Ok(library)
}

fn build_program(workspace: &Workspace, page: &Path, subscriber: &Path) -> Result<PathBuf> {
    let mut command = workspace.cargo();
    command.args(["build", "--release", "--locked", "--package", "syclscope-server"]);
    command.env("SYCLSCOPE_PAGE", page).env("SYCLSCOPE_SUBSCRIBER", subscriber);
    let program = file(workspace);
    cargo_build(workspace, "program", &mut command, &program)?;
    Ok(program)
}

fn cargo_build(workspace: &Workspace, name: &str, command: &mut Command, artefact: &Path) -> Result<()> {
    let begun = Instant::now();
    process::logged(command, &workspace.log(&format!("build-{name}")), LIMIT)?;
    let size = artefact.metadata().map_err(|_| {
        Failure::new(format!("{} built nothing at {}", process::described(command), artefact.display()))
    })?;
    let note = format!("{} ({:.1} MB)", artefact.display(), size.len() as f64 / 1e6);
    say::step("built", name, &note, begun.elapsed());
    Ok(())
}
