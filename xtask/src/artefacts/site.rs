//! The documents' site, which the program serves at `/docs/`: docs/ and other user documents, rendered by mdBook with
//! our own template. It loads nothing from elsewhere and its pages contain no scripts. A link or heading that does not
//! exist fails the build.

mod links;
mod markup;
mod staged;

use self::links::Site;
use self::staged::Staged;
use super::program::{self, Profile};
use super::{bring, page};
use crate::fingerprint::Fingerprint;
use crate::prelude::*;
use crate::setup::pypi::MDBOOK;

/// Generator of the site: these modules, and mdBook in this version.
const TOOLS: [&str; 3] =
    ["xtask/src/artefacts/site", "xtask/src/artefacts/site.rs", "xtask/requirements/mdbook.txt"];

/// Builds the site if needed, with the command reference of a profile's program, and returns its folder.
pub(crate) fn build_with(workspace: &Workspace, profile: Profile) -> Result<PathBuf> {
    build(workspace, &program::build_parts(workspace, profile)?.commands)
}

/// Builds the site if needed, with this command reference, and returns its folder.
pub(super) fn build(workspace: &Workspace, commands: &Path) -> Result<PathBuf> {
    let site = folder(workspace);
    let mut inputs = Fingerprint::new();
    inputs.trees(&sources(workspace))?.tree(commands)?;
    bring(workspace, ("documents", "site"), &inputs.finish(), &site.join("index.html"), || {
        let mdbook = MDBOOK.find(workspace);
        let mdbook = mdbook
            .ok_or_else(|| Failure::new("mdBook is missing").with_remedy("run `cargo xtask setup page`"))?;
        let staged = Staged::make(workspace, commands)?;
        let mut command = Command::new(mdbook);
        command.arg("build").arg(&staged.folder).arg("--dest-dir").arg(&site);
        workspace.run("site", &mut command)?;
        Site::read(&workspace.root, &site, &staged.pages)?.finish()?;
        Ok(format!(" ({} pages)", staged.pages.len()))
    })?;
    Ok(site)
}

pub(crate) fn bytes(workspace: &Workspace) -> Result<(u64, u64)> {
    page::raw_and_brotli_bytes(&files::below(&folder(workspace))?)
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("site")
}

pub(super) fn sources(workspace: &Workspace) -> Vec<PathBuf> {
    let names = staged::DOCUMENTS.iter().map(|(name, _)| *name);
    let names = names.chain(staged::ASSETS.iter().copied()).chain(TOOLS.iter().copied()).chain(["docs"]);
    names.map(|name| workspace.root.join(name)).collect()
}
