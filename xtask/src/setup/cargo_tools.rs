//! Tools that cargo builds into the cache: from crates.io cargo-fuzz, cargo-deny, Garage, and Trunk with wasm-bindgen's
//! command line; and `xtask/bindgen`.

use super::{State, Step};
use crate::fingerprint::Fingerprint;
use crate::prelude::*;

pub(crate) struct CargoTool {
    package: &'static str,
    program: &'static str,
    pub(super) version: &'static str,
    flags: &'static [&'static str],
    opt_level: &'static str,
}

/// Builds the page in a separate test (`cargo xtask test --only trunk`). Without its default features Trunk does not
/// check the network for updates, and needs no TLS.
pub(crate) const TRUNK: CargoTool = tool("trunk", "0.21.14", &["--locked", "--no-default-features"]);

/// Called by Trunk. Its lock file contains a version that the registry no longer has. The package's other programs are
/// not needed.
pub(crate) const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    ..tool("wasm-bindgen", "0.2.130", &["--no-default-features", "--bin", "wasm-bindgen"])
};

pub(crate) const CARGO_FUZZ: CargoTool = tool("cargo-fuzz", "0.13.2", &["--locked"]);

pub(crate) const CARGO_DENY: CargoTool = tool("cargo-deny", "0.20.2", &["--locked"]);

/// An S3-compatible store, for a cluster in the server's tests, with one database and no monitoring. It hashes and
/// copies gigabytes. It is under the AGPL: a program that tests talk to, never a part of this one.
const GARAGE: CargoTool = CargoTool {
    opt_level: "1",
    ..tool("garage", "2.5.0", &["--locked", "--no-default-features", "--features", "bundled-libs,sqlite"])
};

const fn tool(name: &'static str, version: &'static str, flags: &'static [&'static str]) -> CargoTool {
    CargoTool { package: name, program: name, version, flags, opt_level: "0" }
}

impl CargoTool {
    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.cache.join("tools").join(format!("{}-{}", self.program, self.version))
    }

    /// Returns the program in the right version: from the cache, or else from PATH.
    fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let cached = self.folder(workspace).join("bin").join(self.program);
        let is_right = |file: &PathBuf| {
            let printed = process::version_of(file).unwrap_or_default();
            // Garage prints `garage cargo:2.5.0 [features: …]`.
            let word = printed.split_whitespace().nth(1).map(|word| word.trim_start_matches("cargo:"));
            word == Some(self.version)
        };
        [Some(cached), process::on_path(self.program)].into_iter().flatten().find(is_right)
    }

    pub(crate) fn bring(&'static self, workspace: &Workspace) -> Result<PathBuf> {
        super::bring(&self.step(workspace))?;
        self.find(workspace).ok_or_else(|| Failure::new(format!("{} is gone", self.program)))
    }

    fn step<'a>(&'static self, workspace: &'a Workspace) -> Step<'a> {
        let by_hand = format!(
            "cargo install {} --version ={} {}\n\
             (anywhere on PATH will do, as long as it is this version)",
            self.package,
            self.version,
            self.flags.join(" ")
        );
        let state = || {
            Ok(match self.find(workspace) {
                Some(file) => {
                    let folder = file.parent().unwrap_or(&file);
                    State::Ready(format!("{} in {}", self.version, folder.display()))
                }
                None => {
                    State::Missing(format!("{} is not installed; building it takes minutes", self.version))
                }
            })
        };
        Step::new(self.program, by_hand, state, || self.install(workspace))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let mut command = workspace.cargo();
        command.args(["install", self.package, "--version", &format!("={}", self.version)]);
        command.args(self.flags).arg("--root").arg(self.folder(workspace));
        // These tools work on small files, so fast builds matter more than fast tools. Dependencies common to build
        // scripts and the program are compiled once, since the profile `dev` treats both alike.
        command.arg("--debug");
        for (name, value) in [
            ("OPT_LEVEL", self.opt_level),
            ("BUILD_OVERRIDE_OPT_LEVEL", "0"),
            ("DEBUG", "false"),
            ("DEBUG_ASSERTIONS", "false"),
            ("OVERFLOW_CHECKS", "false"),
            ("INCREMENTAL", "false"),
        ] {
            command.env(format!("CARGO_PROFILE_DEV_{name}"), value);
        }
        command.env("CARGO_TARGET_DIR", workspace.target.join("xtask/tools")).env_remove("RUSTFLAGS");
        workspace.run(&format!("install-{}", self.program), &mut command)
    }
}

/// Returns Garage if it is in the cache or on PATH, or else the reason for its absence.
pub(crate) fn find_garage(workspace: &Workspace) -> std::result::Result<PathBuf, String> {
    let missing = "Garage is not in the cache and its build takes as long as all other tests: `cargo xtask soak` builds it";
    GARAGE.find(workspace).ok_or_else(|| missing.to_owned())
}

/// Returns the step for Garage, which takes longer to build than everything else that tests need: without `may_build`,
/// a machine without it skips it.
pub(super) fn garage(workspace: &Workspace, may_build: bool) -> Step<'_> {
    let step = GARAGE.step(workspace);
    let state = step.state;
    let state = move || match find_garage(workspace) {
        Err(missing) if !may_build => Ok(State::LeftOut(missing)),
        _ => state(),
    };
    Step { state: Box::new(state), ..step }
}

/// `xtask/bindgen`: wasm-bindgen's library, with or without Leptos's splitter, as one small program.
///
/// The command lines of both take 300 seconds of processor time to build, this 35 (70 with the splitter).
#[derive(Clone, Copy)]
pub(crate) struct Bindgen {
    pub(crate) can_split: bool,
}

const BINDGEN: &str = "syclscope-bindgen";

impl Bindgen {
    /// Returns the program's file; one with the splitter also serves without splitting.
    pub(crate) fn find(self, workspace: &Workspace) -> Result<Option<PathBuf>> {
        let candidates = [Bindgen { can_split: true }.file(workspace)?, self.file(workspace)?];
        Ok(candidates.into_iter().find(|file| file.is_file()))
    }

    fn file(self, workspace: &Workspace) -> Result<PathBuf> {
        let mut sources = Fingerprint::new();
        for name in ["Cargo.toml", "Cargo.lock", "src/main.rs"] {
            sources.contents(&workspace.root.join("xtask/bindgen").join(name))?;
        }
        let suffix = if self.can_split { "split" } else { "whole" };
        let name = format!("bindgen-{}-{suffix}", sources.compiler().finish());
        Ok(workspace.cache.join("tools").join(name).join(BINDGEN))
    }

    pub(super) fn step(self, workspace: &Workspace) -> Step<'_> {
        let by_hand = "cargo build --manifest-path xtask/bindgen/Cargo.toml --features split (its errors say what is missing)";
        let state = move || {
            Ok(match self.find(workspace)? {
                Some(file) => State::Ready(file.parent().unwrap_or(&file).display().to_string()),
                None => State::Missing("building it takes half a minute".to_owned()),
            })
        };
        Step::new("wasm-bindgen", by_hand, state, move || self.install(workspace))
    }

    fn install(self, workspace: &Workspace) -> Result<()> {
        let target = workspace.target.join("xtask/bindgen");
        let mut command = workspace.cargo();
        command.args(["build", "--locked", "--manifest-path", "xtask/bindgen/Cargo.toml", "--target-dir"]);
        command.arg(&target).env_remove("RUSTFLAGS");
        if self.can_split {
            command.args(["--features", "split"]);
        }
        workspace.run("bindgen", &mut command)?;
        // Another clone may install the same program at the same time.
        let file = self.file(workspace)?;
        let new = file.with_extension(std::process::id().to_string());
        files::copy(&target.join("debug").join(BINDGEN), &new)?;
        files::rename(&new, &file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_and_program_have_the_same_wasm_bindgen() {
        let workspace = Workspace::of_this_clone();
        let library = workspace.locked_version("wasm-bindgen").unwrap();
        let manifest = files::read(&workspace.root.join("xtask/bindgen/Cargo.toml")).unwrap();
        assert!(
            manifest.contains(&format!("wasm-bindgen-cli-support = \"={library}\"")),
            "Cargo.lock has {library}"
        );
    }
}
