//! The documents' site, which the program serves at `/docs/`: docs/ and other user documents, rendered by mdBook with
//! our own template. It loads nothing from elsewhere and its pages contain no scripts. A link or heading that does not
//! exist fails the build.

mod links;
mod markup;
mod staged;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use self::links::Site;
use self::staged::Staged;
use super::page;
use super::program::{self, Profile};
use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::setup::pypi::MDBOOK;
use crate::workspace::Workspace;

/// Builds it if needed, with the command reference of a profile's program, and returns its folder.
pub(crate) fn build_with(workspace: &Workspace, profile: Profile) -> Result<PathBuf> {
    build(workspace, &program::build_parts(workspace, profile)?.commands)
}

/// Builds it if needed, with this command reference, and returns its folder.
pub(super) fn build(workspace: &Workspace, commands: &Path) -> Result<PathBuf> {
    let begun = Instant::now();
    let site = folder(workspace);
    let index = site.join("index.html");
    let mut inputs = Fingerprint::new();
    inputs.trees(&sources(workspace))?.tree(commands)?;
    let inputs = inputs.finish();
    if fingerprint::is_made_from(&workspace.stamp("site"), &inputs, &index) {
        say::step("current", "documents", &site.display().to_string(), begun.elapsed());
        return Ok(site);
    }
    let mdbook = MDBOOK.find(workspace);
    let mdbook = mdbook
        .ok_or_else(|| Failure::new("mdBook is missing").with_remedy("run `cargo xtask setup page`"))?;
    let staged = Staged::make(workspace, commands)?;
    let mut command = Command::new(mdbook);
    command.arg("build").arg(staged.folder()).arg("--dest-dir").arg(&site);
    process::logged(&mut command, &workspace.log("site"), process::PATIENCE)?;
    let made = Site::read(&workspace.root, &site, staged.pages())?;
    made.finish()?;
    fingerprint::write_made_from(&workspace.stamp("site"), &inputs, &index)?;
    let note = format!("{} ({} pages)", site.display(), staged.pages().len());
    say::step("built", "documents", &note, begun.elapsed());
    Ok(site)
}

pub(crate) fn bytes(workspace: &Workspace) -> Result<(u64, u64)> {
    page::raw_and_brotli_bytes(&fingerprint::files_below(&folder(workspace))?)
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("site")
}

pub(super) fn sources(workspace: &Workspace) -> Vec<PathBuf> {
    let names = staged::DOCUMENTS.iter().map(|(name, _)| *name);
    let names = names.chain(staged::ASSETS.iter().copied()).chain(["docs", "xtask/src/artefacts/site"]);
    names.map(|name| workspace.root.join(name)).collect()
}

/// Reads a text file of the site or of its sources.
fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).at("read", path)
}
