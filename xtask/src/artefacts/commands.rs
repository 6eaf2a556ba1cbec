//! The reference of commands for the documents' site: what the program says of itself (`syclscope man --markdown`), so that it is
//! never another program's. The program that carries the site can't be asked before there is one, so one without anything inside is,
//! which differs from it by one small crate and linking.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use super::program;
use crate::failure::Result;
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::workspace::Workspace;

/// Asks the program for them, if it has changed, and gives the file.
pub(super) fn build(workspace: &Workspace, features: &[&str]) -> Result<PathBuf> {
    ask(workspace, features, || program::build_empty(workspace, features))
}

/// The same of the whole program without optimisation, which takes a third of the time: for those who need no other of it.
pub(super) fn build_quickly(workspace: &Workspace) -> Result<PathBuf> {
    ask(workspace, &[], || program::build_quickly(workspace))
}

fn ask(workspace: &Workspace, features: &[&str], build: impl FnOnce() -> Result<PathBuf>) -> Result<PathBuf> {
    let begun = Instant::now();
    let file = file(workspace);
    if are_current(workspace, features)? {
        say::step("current", "commands", &file.display().to_string(), begun.elapsed());
        return Ok(file);
    }
    let inputs = inputs(workspace, features)?;
    process::answer(Command::new(build()?).args(["man", "--markdown"]).arg(folder(workspace)))?;
    fingerprint::write_made_from(&workspace.stamp("commands"), &inputs, &file)?;
    say::step("built", "commands", &file.display().to_string(), begun.elapsed());
    Ok(file)
}

/// Whether they are those of the program with these features as its sources are now.
pub(super) fn are_current(workspace: &Workspace, features: &[&str]) -> Result<bool> {
    let inputs = inputs(workspace, features)?;
    Ok(fingerprint::is_made_from(&workspace.stamp("commands"), &inputs, &file(workspace)))
}

fn inputs(workspace: &Workspace, features: &[&str]) -> Result<String> {
    let mut inputs = Fingerprint::new();
    inputs.trees(&workspace.sources_of(&[program::SERVER]))?.compiler().text(&features.join(" "));
    Ok(inputs.finish())
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("xtask/commands")
}

fn file(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("commands.md")
}
