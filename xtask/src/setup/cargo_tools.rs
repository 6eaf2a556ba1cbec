//! Tools from crates.io: cargo-fuzz, cargo-deny, Garage, and Trunk with wasm-bindgen's command line.

use std::path::PathBuf;

use super::Step;
use crate::failure::{AtPath, Result};
use crate::process;
use crate::workspace::Workspace;

/// Builds the page in a separate test (`cargo xtask test --only trunk`).
pub(crate) const TRUNK: CargoTool = CargoTool {
    package: "trunk",
    program: "trunk",
    version: "0.21.14",
    // Without its default features Trunk does not ask the network for updates, and needs no TLS.
    flags: &["--locked", "--no-default-features"],
    opt_level: 0,
};

/// Called by Trunk.
pub(crate) const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    program: "wasm-bindgen",
    version: "0.2.130",
    // Its lock file contains a version that the registry no longer has. The package's other programs are not needed.
    flags: &["--no-default-features", "--bin", "wasm-bindgen"],
    opt_level: 0,
};

pub(crate) const CARGO_FUZZ: CargoTool = CargoTool {
    package: "cargo-fuzz",
    program: "cargo-fuzz",
    version: "0.13.2",
    flags: &["--locked"],
    opt_level: 0,
};

pub(crate) const CARGO_DENY: CargoTool = CargoTool {
    package: "cargo-deny",
    program: "cargo-deny",
    version: "0.20.2",
    flags: &["--locked"],
    opt_level: 0,
};

pub(crate) const GARAGE: CargoTool = CargoTool {
    package: "garage",
    program: "garage",
    version: "2.5.0",
    // One database, and no monitoring.
    flags: &["--locked", "--no-default-features", "--features", "bundled-libs,sqlite"],
    // It hashes and copies gigabytes.
    opt_level: 1,
};

/// A program that `cargo install` builds into the cache.
pub(crate) struct CargoTool {
    package: &'static str,
    program: &'static str,
    pub(super) version: &'static str,
    flags: &'static [&'static str],
    opt_level: u8,
}

impl CargoTool {
    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.cache.join("tools").join(format!("{}-{}", self.program, self.version))
    }

    /// The program in the right version: from the cache, or else from PATH.
    pub(crate) fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let cached = self.folder(workspace).join("bin").join(self.program);
        let is_right = |file: &PathBuf| {
            let printed = process::version_of(file).unwrap_or_default();
            // Garage prints `garage cargo:2.5.0 [features: …]`.
            let word = printed.split_whitespace().nth(1).map(|word| word.trim_start_matches("cargo:"));
            word == Some(self.version)
        };
        [Some(cached), process::on_path(self.program)].into_iter().flatten().find(is_right)
    }
}

impl Step for CargoTool {
    fn name(&self) -> String {
        self.program.to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        match self.find(workspace) {
            Some(file) => Ok(format!("{} in {}", self.version, file.parent().unwrap_or(&file).display())),
            None => Err(format!("{} is not here yet, building it takes minutes", self.version)),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let folder = self.folder(workspace);
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        let mut command = workspace.cargo();
        command.args(["install", self.package, "--version", &format!("={}", self.version)]);
        command.args(self.flags).arg("--root").arg(&folder);
        // These tools work on small files, so fast builds matter more than fast tools. Dependencies common to build
        // scripts and the program are compiled once, since the profile `dev` treats both alike.
        command.arg("--debug");
        for (name, value) in [
            ("OPT_LEVEL", self.opt_level.to_string().as_str()),
            ("BUILD_OVERRIDE_OPT_LEVEL", "0"),
            ("DEBUG", "false"),
            ("DEBUG_ASSERTIONS", "false"),
            ("OVERFLOW_CHECKS", "false"),
            ("INCREMENTAL", "false"),
        ] {
            command.env(format!("CARGO_PROFILE_DEV_{name}"), value);
        }
        let shared = workspace.target.join("xtask/tools");
        command.env("CARGO_TARGET_DIR", &shared).env_remove("RUSTFLAGS");
        process::logged(&mut command, &workspace.log(&format!("install-{}", self.program)), process::PATIENCE)
    }

    fn by_hand(&self, _: &Workspace) -> String {
        format!(
            "cargo install {} --version ={} {}\n\
             (anywhere on PATH will do, as long as it is this version)",
            self.package,
            self.version,
            self.flags.join(" ")
        )
    }
}
