//! The standard library for wasm32-unknown-unknown: rustup's, or one built from Debian's packages.
//!
//! If rustup can't reach its server, Debian's `rustc-web` and its sources suffice: the library is built once
//! into the cache, and a wrapper around /usr/bin/rustc finds it there. The wrapper is used for our own calls
//! only, through `RUSTC` and `PATH`; the default toolchain stays unchanged.

mod debian;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Step;
use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

pub(crate) struct WasmTarget;

/// The compiler that can build for wasm32.
pub(crate) enum Toolchain {
    Active,
    /// Debian's, with its own standard library.
    Debian(debian::Toolchain),
}

impl Toolchain {
    pub(crate) fn find(workspace: &Workspace) -> Option<Self> {
        if choice() != Choice::Debian && active_has(workspace, TARGET) {
            return Some(Toolchain::Active);
        }
        if choice() == Choice::Rustup {
            return None;
        }
        debian::Toolchain::find(workspace).map(Toolchain::Debian)
    }

    /// Makes `command` (cargo, or a program that calls cargo) use it, with `folders` first on PATH.
    pub(crate) fn apply(&self, workspace: &Workspace, command: &mut Command, folders: &[PathBuf]) {
        let mut folders = folders.to_vec();
        if let Toolchain::Debian(toolchain) = self {
            folders.push(toolchain.bin());
            command.env("RUSTC", toolchain.rustc()).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
            // Cargo distinguishes artefacts by the compiler's version, not by the library they were built
            // with.
            command.env("CARGO_TARGET_DIR", workspace.target.join("xtask").join(toolchain.name()));
        }
        command.env("PATH", process::path_with(&folders));
    }

    /// True if clippy of the active toolchain can check for wasm32.
    pub(crate) fn has_clippy(&self) -> bool {
        matches!(self, Toolchain::Active)
    }
}

#[derive(PartialEq)]
enum Choice {
    Any,
    Rustup,
    Debian,
}

fn choice() -> Choice {
    match std::env::var("SYCLSCOPE_WASM_TOOLCHAIN").as_deref() {
        Ok("rustup") => Choice::Rustup,
        Ok("debian") => Choice::Debian,
        _ => Choice::Any,
    }
}

impl Step for WasmTarget {
    fn name(&self) -> String {
        "wasm32 target".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        match Toolchain::find(workspace) {
            Some(Toolchain::Active) => {
                let printed = process::version_of("rustc").unwrap_or_default();
                let version = printed.split(" (").next().unwrap_or_default().to_owned();
                Ok(format!("{version}, the active toolchain"))
            }
            Some(Toolchain::Debian(toolchain)) => Ok(toolchain.described()),
            None => Err(format!("no standard library for {TARGET}")),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let by_rustup = match choice() {
            Choice::Debian => Err(Failure::new("SYCLSCOPE_WASM_TOOLCHAIN=debian")),
            _ => add_with_rustup(workspace),
        };
        match by_rustup {
            Ok(()) => Ok(()),
            Err(failure) if choice() == Choice::Rustup => Err(failure),
            Err(failure) => {
                println!("    not by rustup ({}); by Debian's packages:", failure.headline());
                debian::install(workspace)
            }
        }
    }

    fn by_hand(&self, _: &Workspace) -> String {
        format!(
            "rustup target add {TARGET}\n\
             or, as root where rustup can't reach its server: {}",
            debian::apt_line()
        )
    }
}

fn add_with_rustup(workspace: &Workspace) -> Result<()> {
    let mut command = Command::new("rustup");
    command.args(["target", "add", TARGET]).current_dir(&workspace.root);
    process::logged(&mut command, &workspace.log("rustup-target-add"), Duration::from_secs(300))
}

/// True if the active toolchain has the standard library for a target.
pub(super) fn active_has(workspace: &Workspace, target: &str) -> bool {
    let sysroot =
        process::answer(Command::new("rustc").args(["--print", "sysroot"]).current_dir(&workspace.root));
    sysroot.is_ok_and(|sysroot| {
        holds_std(&Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib"))
    })
}

fn holds_std(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}
