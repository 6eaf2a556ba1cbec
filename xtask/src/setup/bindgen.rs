//! `xtask/bindgen`: wasm-bindgen's library and the splitter of Leptos as one small program, built once into the cache.
//!
//! The command lines of both take 300 seconds of processor time to build, this 35 (70 with the splitter).

use std::path::PathBuf;

use super::Step;
use crate::failure::{AtPath, Result};
use crate::fingerprint::Fingerprint;
use crate::process;
use crate::workspace::Workspace;

const NAME: &str = "syclscope-bindgen";

pub(crate) struct Bindgen {
    pub(crate) can_split: bool,
}

impl Bindgen {
    /// The program's file; one with the splitter also serves without splitting.
    pub(crate) fn find(&self, workspace: &Workspace) -> Result<Option<PathBuf>> {
        let mut candidates = vec![Bindgen { can_split: true }.file(workspace)?];
        if !self.can_split {
            candidates.push(self.file(workspace)?);
        }
        Ok(candidates.into_iter().find(|file| file.is_file()))
    }

    fn file(&self, workspace: &Workspace) -> Result<PathBuf> {
        let mut sources = Fingerprint::new();
        for name in ["Cargo.toml", "Cargo.lock", "src/main.rs"] {
            sources.contents(&workspace.root.join("xtask/bindgen").join(name))?;
        }
        let suffix = if self.can_split { "split" } else { "whole" };
        let name = format!("bindgen-{}-{suffix}", sources.compiler().finish());
        Ok(workspace.cache.join("tools").join(name).join(NAME))
    }
}

impl Step for Bindgen {
    fn name(&self) -> String {
        "wasm-bindgen".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        match self.find(workspace) {
            Ok(Some(file)) => Ok(file.parent().unwrap_or(&file).display().to_string()),
            Ok(None) => Err("building it takes half a minute".to_owned()),
            Err(failure) => Err(failure.headline().to_owned()),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let target = workspace.target.join("xtask/bindgen");
        let mut command = workspace.cargo();
        command.args(["build", "--locked", "--manifest-path", "xtask/bindgen/Cargo.toml", "--target-dir"]);
        command.arg(&target).env_remove("RUSTFLAGS");
        if self.can_split {
            command.args(["--features", "split"]);
        }
        process::logged(&mut command, &workspace.log("bindgen"), process::PATIENCE)?;
        let (built, file) = (target.join("debug").join(NAME), self.file(workspace)?);
        let folder = file.parent().unwrap_or(&workspace.cache);
        std::fs::create_dir_all(folder).at("create", folder)?;
        // Another clone may install the same program at the same time.
        let new = file.with_extension(std::process::id().to_string());
        std::fs::copy(&built, &new).at("copy", &built)?;
        std::fs::rename(&new, &file).at("rename", &new)
    }

    fn by_hand(&self, _: &Workspace) -> String {
        "cargo build --manifest-path xtask/bindgen/Cargo.toml --features split (its errors say what is missing)"
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn page_and_program_have_the_same_wasm_bindgen() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace {
            target: root.join("target"),
            cache: root.join("cache"),
            root: root.clone(),
            packages: Vec::new(),
        };
        let library = workspace.locked_version("wasm-bindgen").unwrap();
        let manifest = std::fs::read_to_string(root.join("xtask/bindgen/Cargo.toml")).unwrap();
        assert!(
            manifest.contains(&format!("wasm-bindgen-cli-support = \"={library}\"")),
            "Cargo.lock has {library}"
        );
    }
}
