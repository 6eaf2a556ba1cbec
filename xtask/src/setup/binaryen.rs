//! wasm-opt, from npm's binaryen.
//!
//! Never the one of Debian 12: version 108 ends without an error and the page then dies on load.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::Step;
use crate::failure::{AtPath, Result};
use crate::process;
use crate::workspace::Workspace;

/// The version in npm; `wasm-opt --version` prints its major number.
const VERSION: &str = "132.0.0";

pub(crate) struct Binaryen;

impl Binaryen {
    fn folder(workspace: &Workspace) -> PathBuf {
        workspace.cache.join("tools").join(format!("binaryen-{VERSION}"))
    }

    /// Folder of `wasm-opt`, for the front of PATH.
    pub(crate) fn bin(workspace: &Workspace) -> PathBuf {
        Self::folder(workspace).join("node_modules/.bin")
    }
}

impl Step for Binaryen {
    fn name(&self) -> String {
        "wasm-opt".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let program = Self::bin(workspace).join("wasm-opt");
        let major = VERSION.split('.').next().unwrap_or(VERSION);
        match process::version_of(&program) {
            Some(printed) if printed.starts_with(&format!("wasm-opt version {major}")) => {
                Ok(format!("{VERSION} in {}", Self::folder(workspace).display()))
            }
            Some(printed) => Err(format!("it says {printed}, {VERSION} is wanted")),
            None => Err(format!("binaryen {VERSION} is not here yet")),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let folder = Self::folder(workspace);
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        let mut command = Command::new("npm");
        command.args(["install", "--no-save", "--no-audit", "--no-fund", "--prefix"]).arg(&folder);
        command.arg(format!("binaryen@{VERSION}")).current_dir(&folder);
        process::logged(&mut command, &workspace.log("install-binaryen"), Duration::from_secs(600))
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        format!("npm install --prefix {} binaryen@{VERSION}", Self::folder(workspace).display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trunk_is_told_the_versions_that_are_set_up() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let trunk = std::fs::read_to_string(root.join("Trunk.toml")).unwrap();
        let major = VERSION.split('.').next().unwrap();
        assert!(trunk.contains(&format!("\nwasm_opt = \"version_{major}\"\n")), "{trunk}");
        let workspace =
            Workspace { target: root.join("target"), cache: root.join("cache"), root, packages: Vec::new() };
        let library = workspace.locked_version("wasm-bindgen").unwrap();
        assert!(
            trunk.contains(&format!("\nwasm_bindgen = \"{library}\"\n")),
            "Cargo.lock has {library}; {trunk}"
        );
        assert_eq!(library, super::super::cargo_tools::WASM_BINDGEN.version);
    }
}
