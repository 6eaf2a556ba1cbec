//! Zig, whose C compiler and linker produce a release for an older C library than this machine's, and cargo-zigbuild,
//! its adapter for cargo. Both come from PyPI.

use std::path::PathBuf;
use std::process::Command;

use super::Step;
use super::environment::Environment;
use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct Zig;

fn environment(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("zig"),
        requirements: workspace.root.join("xtask/requirements/zig.txt"),
        interpreter: "python3".to_owned(),
        is_closed: true,
    }
}

impl Zig {
    /// A call of cargo-zigbuild, which replaces `cargo` with `zigbuild` as its first argument.
    pub(crate) fn cargo(workspace: &Workspace) -> Result<Command> {
        let mut command = Command::new(environment(workspace).link.join("bin/cargo-zigbuild"));
        command.current_dir(&workspace.root).env("CARGO_ZIGBUILD_ZIG_PATH", Self::program(workspace)?);
        // Scripts and objects of both, to keep them out of the user's own folders.
        let kept = workspace.target.join("xtask/zig");
        for (variable, folder) in [
            ("CARGO_ZIGBUILD_CACHE_DIR", "scripts"),
            ("ZIG_GLOBAL_CACHE_DIR", "objects"),
            ("ZIG_LOCAL_CACHE_DIR", "objects"),
        ] {
            command.env(variable, kept.join(folder));
        }
        Ok(command)
    }

    fn program(workspace: &Workspace) -> Result<PathBuf> {
        let mut command = Command::new(environment(workspace).python());
        command.args([
            "-c",
            "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))",
        ]);
        Ok(PathBuf::from(process::answer(&mut command)?))
    }
}

impl Step for Zig {
    fn name(&self) -> String {
        "Zig".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let headline = |failure: Failure| failure.headline().to_owned();
        if !environment(workspace).is_complete(workspace).map_err(headline)? {
            return Err("a download of 103 MB".to_owned());
        }
        let version =
            process::answer(Command::new(Self::program(workspace).map_err(headline)?).arg("version"));
        Ok(format!("target/zig, {}", version.map_err(headline)?))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        environment(workspace).by_hand()
    }
}
