//! Tools to build and try a release for another architecture: rustup's standard library for it, and Debian's C library,
//! with which QEMU runs its programs here.

use super::{State, Step, debian, rustup};
use crate::prelude::*;

/// Architectures of releases, in Rust's and in Debian's terms.
const ALL: [(&str, &str); 2] = [("x86_64", "amd64"), ("aarch64", "arm64")];
const RELEASE: &str = "bookworm";
const PACKAGES: [&str; 2] = ["libc6", "libgcc-s1"];

pub(crate) fn target(architecture: &str) -> String {
    format!("{architecture}-unknown-linux-gnu")
}

pub(crate) fn of_debian(architecture: &str) -> Result<&'static str> {
    let found = ALL.into_iter().find(|(name, _)| *name == architecture).map(|(_, debian)| debian);
    found.ok_or_else(|| Failure::new(format!("no Debian architecture is known for {architecture}")))
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
        Self::all().filter(|one| rustup::has_std(workspace, &target(one.architecture)))
    }

    pub(crate) fn emulator(self) -> Option<PathBuf> {
        process::on_path(&format!("qemu-{}-static", self.architecture))
    }

    /// Returns the folder with Debian's C library for it, fetched on first use, or the reason for its absence.
    pub(crate) fn libraries(self, workspace: &Workspace) -> Result<std::result::Result<PathBuf, String>> {
        let folder = workspace.cache.join(format!("libc-{}-{RELEASE}", self.architecture));
        if folder.is_dir() {
            return Ok(Ok(folder));
        }
        if let Some(lacks) = debian::lacks() {
            return Ok(Err(lacks));
        }
        let packages = PACKAGES.map(str::to_owned);
        let scratch = debian::unpacked(workspace, (RELEASE, self.debian), &packages, |_| Ok(()))?;
        let partial = folder.with_extension("partial");
        files::remove_folder(&partial)?;
        files::copy_folder(&scratch.join("unpacked"), &partial)?;
        files::rename(&partial, &folder)?;
        Ok(Ok(folder))
    }

    pub(super) fn step(self, workspace: &Workspace) -> Step<'_> {
        let step =
            rustup::target(workspace, format!("Rust for {}", self.architecture), target(self.architecture));
        let has_rustup = process::on_path("rustup").is_some();
        let lack = format!("there is no rustup: the release has nothing for {} machines", self.architecture);
        let state = step.state;
        let state = move || if has_rustup { state() } else { Ok(State::LeftOut(lack.clone())) };
        Step { state: Box::new(state), ..step }
    }
}
