//! The one binary, with the page, the documents and the subscriber inside.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{commands, embedded, page, site};
use crate::failure::{Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::workspace::Workspace;

pub(super) const SERVER: &str = "syclscope-server";
pub(super) const SUBSCRIBER: &str = "syclscope-subscriber";
pub(super) const LIMIT: Duration = Duration::from_secs(40 * 60);

/// What one person needs, and no team: far less to compile.
const LEAN: &[&str] = &["--no-default-features"];

/// Builds page, documents, subscriber and program, each if need be, and gives the program's file.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    build_with(workspace, &[])
}

/// The same with as little of the program as one person needs. Where all of it is there and current, that is it.
pub(crate) fn build_lean(workspace: &Workspace) -> Result<PathBuf> {
    build_with(workspace, LEAN)
}

fn build_with(workspace: &Workspace, mut features: &[&str]) -> Result<PathBuf> {
    say::heading("build");
    if commands::are_current(workspace, &[])? {
        features = &[];
    }
    let (page, (subscriber, commands)) = process::side_by_side(
        || page::build(workspace),
        || Ok((build_subscriber(workspace)?, commands::build(workspace, features)?)),
    )?;
    let site = site::build(workspace, &commands)?;
    let mut inputs = Fingerprint::new();
    inputs.trees(&workspace.sources_of(&[SERVER]))?.compiler().text(&features.join(" "));
    inputs.trees([&page, &site, &subscriber, &workspace.root.join(embedded::RECORDED)])?;
    make(workspace, "program", &inputs.finish(), file(workspace), || {
        let mut command = cargo_build(workspace, SERVER);
        command.args(features);
        command.env(embedded::VARIABLE, embedded::write(workspace, &page, &site, &subscriber)?);
        Ok(command)
    })
}

/// Builds the program with neither page nor documents nor subscriber inside, where the whole one comes to lie, and gives its file.
pub(super) fn build_empty(workspace: &Workspace, features: &[&str]) -> Result<PathBuf> {
    let mut command = cargo_build(workspace, SERVER);
    command.args(features).env_remove(embedded::VARIABLE);
    process::logged(&mut command, &workspace.log("build-empty-program"), LIMIT)?;
    Ok(file(workspace))
}

/// Compiles all of the lean program but what holds the page and the subscriber, unless the program is there: [`build_lean`]
/// then has little left but to link.
pub(crate) fn build_ahead(workspace: &Workspace) -> Result<()> {
    if file(workspace).is_file() {
        return Ok(());
    }
    let mut command = cargo_build(workspace, SERVER);
    command.arg("--lib").args(LEAN);
    process::logged(&mut command, &workspace.log("build-ahead"), LIMIT)
}

/// The program's file, whether it has been built or not.
pub(crate) fn file(workspace: &Workspace) -> PathBuf {
    workspace.target.join("release/syclscope")
}

/// Builds the program unoptimised, with neither page nor subscriber inside: the same that its tests run.
pub(crate) fn build_quickly(workspace: &Workspace) -> Result<PathBuf> {
    let begun = Instant::now();
    let mut command = workspace.cargo();
    command.args(["build", "--locked", "--package", SERVER]);
    process::logged(&mut command, &workspace.log("build-program-dev"), LIMIT)?;
    let program = workspace.target.join("debug/syclscope");
    say::step("built", "program", &program.display().to_string(), begun.elapsed());
    Ok(program)
}

/// Builds the library that a SYCL runtime loads, if need be.
pub(crate) fn build_subscriber(workspace: &Workspace) -> Result<PathBuf> {
    let mut inputs = Fingerprint::new();
    inputs.trees(&workspace.sources_of(&[SUBSCRIBER]))?.compiler();
    let library = workspace.target.join("release/libsyclscope_subscriber.so");
    make(workspace, "subscriber", &inputs.finish(), library, || Ok(cargo_build(workspace, SUBSCRIBER)))
}

fn cargo_build(workspace: &Workspace, package: &str) -> Command {
    let mut command = workspace.cargo();
    command.args(["build", "--release", "--locked", "--package", package]);
    command
}

/// Runs what `command` gives, unless `artefact` is what that has made from the same `inputs` before.
fn make(
    workspace: &Workspace,
    name: &str,
    inputs: &str,
    artefact: PathBuf,
    command: impl FnOnce() -> Result<Command>,
) -> Result<PathBuf> {
    let begun = Instant::now();
    let stamp = workspace.stamp(name);
    let is_current = fingerprint::is_made_from(&stamp, inputs, &artefact);
    let log = workspace.log(&format!("build-{name}"));
    if !is_current {
        process::logged(&mut command()?, &log, LIMIT)?;
    }
    let size = artefact
        .metadata()
        .map_err(|_| Failure::new(format!("cargo built nothing at {}", artefact.display())).with_log(log))?;
    fingerprint::write_made_from(&stamp, inputs, &artefact)?;
    let note = format!("{} ({:.1} MB)", artefact.display(), size.len() as f64 / 1e6);
    say::step(if is_current { "current" } else { "built" }, name, &note, begun.elapsed());
    Ok(artefact)
}
