//! Tools that crates.io carries: wasm-bindgen's command line, Trunk, mdBook, cargo-fuzz, cargo-deny and Garage.

use std::path::PathBuf;
use std::time::Duration;

use super::Step;
use crate::failure::{AtPath, Result};
use crate::process;
use crate::workspace::Workspace;

/// Two cores that have nothing else to do take two to three minutes for Trunk.
const LIMIT: Duration = Duration::from_secs(40 * 60);

pub(crate) const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    program: "wasm-bindgen",
    version: Version::LikeLibrary("wasm-bindgen"),
    // Its lock file names a version that the registry no longer has. The other programs of the package are a test runner, which
    // asks the network for drivers of browsers, and a converter.
    flags: &["--no-default-features", "--bin", "wasm-bindgen"],
    // It reads and writes megabytes of WebAssembly.
    opt_level: 1,
};

pub(crate) const TRUNK: CargoTool = CargoTool {
    package: "trunk",
    program: "trunk",
    version: Version::Exactly("0.21.14"),
    // Without its default features Trunk does not ask the network for updates, and needs no TLS.
    flags: &["--locked", "--no-default-features"],
    opt_level: 0,
};

/// Splits the page's main module. (Of its package we take the program and not the library, so that xtask stays small.)
pub(crate) const WASM_SPLIT: CargoTool = CargoTool {
    package: "wasm_split_cli_support",
    program: "wasm-split-cli",
    version: Version::Unsaid("0.2.4"),
    flags: &["--locked", "--features", "build-binary", "--bin", "wasm-split-cli"],
    opt_level: 0,
};

/// Makes the documents' site (MPL-2.0; nothing of it is linked with the program, nor are its scripts and fonts in the site).
pub(crate) const MDBOOK: CargoTool = CargoTool {
    package: "mdbook",
    program: "mdbook",
    version: Version::Exactly("0.5.4"),
    // It serves nothing here, watches nothing, and the site searches without an index.
    flags: &["--locked", "--no-default-features"],
    opt_level: 0,
};

pub(crate) const CARGO_FUZZ: CargoTool = CargoTool {
    package: "cargo-fuzz",
    program: "cargo-fuzz",
    version: Version::Exactly("0.13.2"),
    flags: &["--locked"],
    opt_level: 0,
};

pub(crate) const CARGO_DENY: CargoTool = CargoTool {
    package: "cargo-deny",
    program: "cargo-deny",
    version: Version::Exactly("0.20.2"),
    flags: &["--locked"],
    opt_level: 0,
};

pub(crate) const GARAGE: CargoTool = CargoTool {
    package: "garage",
    program: "garage",
    version: Version::Exactly("2.5.0"),
    // One database, and nothing that watches it.
    flags: &["--locked", "--no-default-features", "--features", "bundled-libs,sqlite"],
    // It hashes and copies gigabytes.
    opt_level: 1,
};

/// A program that `cargo install` builds into the cache.
pub(crate) struct CargoTool {
    package: &'static str,
    program: &'static str,
    version: Version,
    flags: &'static [&'static str],
    opt_level: u8,
}

enum Version {
    Exactly(&'static str),
    /// This one, which the program itself does not tell: only our own cache is known to have it.
    Unsaid(&'static str),
    /// The one that Cargo.lock holds for a library: the two must be equal.
    LikeLibrary(&'static str),
}

impl CargoTool {
    fn version(&self, workspace: &Workspace) -> Result<String> {
        match self.version {
            Version::Exactly(version) | Version::Unsaid(version) => Ok(version.to_owned()),
            Version::LikeLibrary(package) => workspace.locked_version(package),
        }
    }

    fn folder(&self, workspace: &Workspace) -> Result<PathBuf> {
        let name = format!("{}-{}", self.program, self.version(workspace)?);
        Ok(workspace.cache.join("tools").join(name))
    }

    /// The program in the right version: from the cache, or else from PATH.
    pub(crate) fn find(&self, workspace: &Workspace) -> Result<Option<PathBuf>> {
        let version = self.version(workspace)?;
        let cached = self.folder(workspace)?.join("bin").join(self.program);
        if let Version::Unsaid(_) = self.version {
            return Ok(Some(cached).filter(|file| file.is_file()));
        }
        let candidates = [Some(cached), process::on_path(self.program)];
        let is_right = |file: &PathBuf| {
            let printed = process::version_of(file).unwrap_or_default();
            // Garage's own says where it was built, too: `garage cargo:2.5.0 [features: …]`; mdBook's is `mdbook v0.5.4`.
            let word = printed.split_whitespace().nth(1);
            let word = word.map(|word| word.trim_start_matches("cargo:").trim_start_matches('v'));
            word == Some(version.as_str())
        };
        Ok(candidates.into_iter().flatten().find(is_right))
    }
}

impl Step for CargoTool {
    fn name(&self) -> String {
        self.program.to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let version = self.version(workspace).map_err(|failure| failure.headline().to_owned())?;
        match self.find(workspace) {
            Ok(Some(file)) => Ok(format!("{version} in {}", file.parent().unwrap_or(&file).display())),
            _ => Err(format!("{version} is not here yet, building it takes minutes")),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let folder = self.folder(workspace)?;
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        let mut command = workspace.cargo();
        command.args(["install", self.package, "--version", &format!("={}", self.version(workspace)?)]);
        command.args(self.flags).arg("--root").arg(&folder);
        // These tools work on small files: a quick build is worth more than quick tools. What is the same for build scripts
        // and for the program is compiled once, since the profile `dev` treats both alike.
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
        process::logged(&mut command, &workspace.log(&format!("install-{}", self.program)), LIMIT)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        let version = self.version(workspace).unwrap_or_default();
        format!(
            "cargo install {} --version ={version} {}\n\
             (anywhere on PATH will do, as long as it is this version)",
            self.package,
            self.flags.join(" ")
        )
    }
}
