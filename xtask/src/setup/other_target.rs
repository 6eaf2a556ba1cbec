//! Tools to build and try a release for another architecture: rustup's standard library for it, and Debian's C library,
//! with which QEMU runs its programs here.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Step, debian, wasm_target};
use crate::failure::{AtPath, Result};
use crate::process;
use crate::workspace::Workspace;

/// Architectures of releases, in Rust's and in Debian's terms.
const ALL: [(&str, &str); 2] = [("x86_64", "amd64"), ("aarch64", "arm64")];
/// Debian release of the C library.
const RELEASE: &str = "bookworm";
const PACKAGES: [&str; 2] = ["libc6", "libgcc-s1"];

pub(crate) fn target(architecture: &str) -> String {
    format!("{architecture}-unknown-linux-gnu")
}

/// A foreign architecture. The step installs its standard library.
#[derive(Clone, Copy)]
pub(crate) struct OtherTarget {
    /// In Rust's terms.
    pub(crate) architecture: &'static str,
    debian: &'static str,
}

impl OtherTarget {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let others = ALL.into_iter().filter(|(architecture, _)| *architecture != std::env::consts::ARCH);
        others.map(|(architecture, debian)| Self { architecture, debian })
    }

    pub(crate) fn ready(workspace: &Workspace) -> impl Iterator<Item = Self> {
        Self::all().filter(|one| wasm_target::active_has(workspace, &target(one.architecture)))
    }

    pub(crate) fn emulator(self) -> Option<PathBuf> {
        process::on_path(&format!("qemu-{}-static", self.architecture))
    }

    /// Folder with Debian's C library for it, fetched on first use, or the reason for its absence.
    pub(crate) fn libraries(self, workspace: &Workspace) -> Result<std::result::Result<PathBuf, String>> {
        let folder = workspace.cache.join(format!("libc-{}-{RELEASE}", self.architecture));
        if folder.is_dir() {
            return Ok(Ok(folder));
        }
        if let Some(lacks) = debian::lacks() {
            return Ok(Err(lacks));
        }
        let scratch = workspace.target.join("xtask").join(format!("apt-{}", self.architecture));
        let packages: Vec<String> = PACKAGES.iter().map(|name| (*name).to_owned()).collect();
        let unpacked = scratch.join("unpacked");
        for package in debian::download(workspace, RELEASE, self.debian, &packages, &scratch)? {
            debian::unpack(&package, &unpacked)?;
        }
        let partial = folder.with_extension("partial");
        let _ = std::fs::remove_dir_all(&partial);
        copy(&unpacked, &partial)?;
        std::fs::rename(&partial, &folder).at("rename", &partial)?;
        std::fs::remove_dir_all(&scratch).at("remove", &scratch)?;
        Ok(Ok(folder))
    }
}

/// Copies a folder with its links; the cache may be on another file system.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut command = Command::new("cp");
    process::answer(command.args(["--recursive", "--no-dereference"]).arg(from).arg(to)).map(|_| ())
}

impl Step for OtherTarget {
    fn name(&self) -> String {
        format!("Rust for {}", self.architecture)
    }

    fn unavailable(&self, _: &Workspace) -> Option<String> {
        process::on_path("rustup").is_none().then(|| {
            format!("there is no rustup: the release has nothing for {} machines", self.architecture)
        })
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let target = target(self.architecture);
        if wasm_target::active_has(workspace, &target) {
            return Ok(target);
        }
        Err(format!("no standard library for {target}"))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let mut command = Command::new("rustup");
        command.args(["target", "add", &target(self.architecture)]).current_dir(&workspace.root);
        let log = workspace.log(&format!("rustup-target-{}", self.architecture));
        process::logged(&mut command, &log, process::PATIENCE)
    }

    fn by_hand(&self, _: &Workspace) -> String {
        format!("rustup target add {}", target(self.architecture))
    }
}
