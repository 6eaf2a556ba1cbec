//! wasm32's standard library from Debian's `rustc-web`, `cargo-web` and `rust-web-src`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{TARGET, holds_std};
use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::setup::browser::apt_install;
use crate::workspace::Workspace;

const PACKAGES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm"];
const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
const SOURCES: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";
const HOST_LIBRARIES: &str = "/usr/lib/rustlib";

/// A folder in the cache that a wrapper around Debian's rustc uses as its sysroot:
/// `bin/{rustc,cargo}` and `lib/rustlib/{wasm32-unknown-unknown,HOST}`.
pub(crate) struct Toolchain {
    sysroot: PathBuf,
    version: String,
}

impl Toolchain {
    pub(crate) fn find(workspace: &Workspace) -> Option<Self> {
        let toolchain = Self::expected(workspace)?;
        (toolchain.rustc().is_file() && holds_std(&toolchain.target_libraries())).then_some(toolchain)
    }

    fn expected(workspace: &Workspace) -> Option<Self> {
        let printed = process::version_of(RUSTC)?;
        let version = printed.split_whitespace().nth(1)?.to_owned();
        let sysroot = workspace.cache.join("tools").join(format!("rust-wasm-debian-{version}-bitcode"));
        Some(Toolchain { sysroot, version })
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.sysroot.join("bin")
    }

    pub(crate) fn rustc(&self) -> PathBuf {
        self.bin().join("rustc")
    }

    /// Depends on the version, and on the way in which the library is built.
    pub(crate) fn name(&self) -> String {
        self.sysroot.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(crate) fn described(&self) -> String {
        format!("rustc {}, built from Debian's packages", self.version)
    }

    fn target_libraries(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib").join(TARGET).join("lib")
    }

    /// Creates everything except for the standard library itself.
    fn lay_out(&self, linker: &Path) -> Result<()> {
        let host = host_triple()?;
        let host_folder = self.sysroot.join("lib/rustlib").join(&host);
        for folder in [&self.bin(), &host_folder.join("bin")] {
            std::fs::create_dir_all(folder).at("create", folder)?;
        }
        link(&Path::new(HOST_LIBRARIES).join(&host).join("lib"), &host_folder.join("lib"))?;
        link(linker, &host_folder.join("bin/rust-lld"))?;
        link(Path::new(CARGO), &self.bin().join("cargo"))?;
        let wrapper = format!("#!/bin/sh\nexec {RUSTC} --sysroot '{}' \"$@\"\n", self.sysroot.display());
        write_program(&self.rustc(), &wrapper)
    }
}

/// Command with which root installs the packages.
pub(crate) fn apt_line() -> String {
    format!(
        "apt-get install --no-install-recommends {} lld-N (N: the LLVM version that `{RUSTC} -vV` names)",
        PACKAGES.join(" ")
    )
}

pub(crate) fn install(workspace: &Workspace) -> Result<()> {
    if !Path::new(SOURCES).is_file() || !Path::new(CARGO).is_file() {
        apt_install(workspace, PACKAGES)?;
    }
    let toolchain = Toolchain::expected(workspace)
        .ok_or_else(|| Failure::new(format!("{RUSTC} is there but does not run")))?;
    toolchain.lay_out(&linker(workspace)?)?;
    build_std(workspace, &toolchain)
}

/// Builds std for wasm32 and installs it. This comes last, since its presence marks the toolchain as ready.
fn build_std(workspace: &Workspace, toolchain: &Toolchain) -> Result<()> {
    let project = workspace.target.join("xtask/wasm-std");
    // Leftovers of an earlier attempt would become part of this one.
    let _ = std::fs::remove_dir_all(&project);
    let sources = project.join("src");
    std::fs::create_dir_all(&sources).at("create", &sources)?;
    let manifest = "[package]\nname = \"wasm-std\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n";
    let manifest_path = project.join("Cargo.toml");
    std::fs::write(&manifest_path, manifest).at("write", &manifest_path)?;
    let library = sources.join("lib.rs");
    std::fs::write(&library, "#![no_std]\n").at("write", &library)?;
    let mut command = Command::new(CARGO);
    command.args(["build", "--release", "-Z", "build-std=std,panic_abort", "--target", TARGET]);
    command.current_dir(&project).env("RUSTC", RUSTC).env("RUSTC_BOOTSTRAP", "1");
    command.env("CARGO_TARGET_DIR", project.join("target")).env_remove("RUSTUP_TOOLCHAIN");
    // The page is optimised as a whole, which also reads the library's bitcode.
    command.env("RUSTFLAGS", "-C embed-bitcode=yes");
    process::logged(&mut command, &workspace.log("wasm-std"), process::PATIENCE)?;

    let built = project.join("target").join(TARGET).join("release/deps");
    let partial = toolchain.sysroot.join("lib/rustlib").join(TARGET).join("partial");
    let _ = std::fs::remove_dir_all(&partial);
    std::fs::create_dir_all(&partial).at("create", &partial)?;
    for entry in std::fs::read_dir(&built).at("list", &built)?.flatten() {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text.ends_with(".rlib") && !text.starts_with("libwasm_std") {
            std::fs::copy(entry.path(), partial.join(&name)).at("copy", &entry.path())?;
        }
    }
    std::fs::rename(&partial, toolchain.target_libraries()).at("rename", &partial)
}

/// The LLVM linker that matches Debian's rustc, installed if needed.
fn linker(workspace: &Workspace) -> Result<PathBuf> {
    let described = process::answer(Command::new(RUSTC).arg("-vV"))?;
    let major = described
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: "))
        .and_then(|version| version.split('.').next())
        .ok_or_else(|| Failure::new(format!("{RUSTC} -vV names no LLVM version")))?;
    let program = PathBuf::from(format!("/usr/lib/llvm-{major}/bin/lld"));
    if !program.is_file() {
        apt_install(workspace, &[&format!("lld-{major}")])?;
    }
    Ok(program)
}

fn host_triple() -> Result<String> {
    let described = process::answer(Command::new(RUSTC).arg("-vV"))?;
    let host = described.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new(format!("{RUSTC} -vV names no host")))
}

fn link(to: &Path, link: &Path) -> Result<()> {
    let _ = std::fs::remove_file(link);
    std::os::unix::fs::symlink(to, link).at("link", link)
}

fn write_program(path: &Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).at("write", path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).at("make executable", path)
}
