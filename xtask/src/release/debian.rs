//! The Debian package, made from existing files by `dpkg-deb`, which every Debian has; so cargo-deb is not needed.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::needs::Needs;
use super::packed::Release;
use super::staged::Staged;
use crate::artefacts::released::Build;
use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint;
use crate::process;

/// Copyright and description for pages about the package.
const ABOUT: &str = "\
Description: records SYCL programs and shows what they did
 syclscope records a SYCL program (oneAPI DPC++) through the runtime's own
 instrumentation and shows the run in a browser: kernels, copies, queues,
 waits, memory, the task graph. Page and recorder are inside the program.
";

/// Makes it reproducibly.
pub(super) fn make(release: &Release<'_>, build: &Build, staged: &Staged) -> Result<PathBuf> {
    let root = release.workspace.target.join("xtask/staged").join(build.architecture).join("debian");
    if root.is_dir() {
        std::fs::remove_dir_all(&root).at("empty", &root)?;
    }
    let control = root.join("DEBIAN");
    std::fs::create_dir_all(&control).at("create", &control)?;
    process::answer(Command::new("cp").arg("--recursive").arg(&staged.usr).arg(root.join("usr")))?;
    let copyright = root.join("usr/share/doc/syclscope/copyright");
    std::fs::copy(root.join("usr/share/doc/syclscope/LICENSE-MIT"), &copyright).at("write", &copyright)?;
    for file in fingerprint::files_below(&root)? {
        let is_program = file.ends_with("usr/bin/syclscope");
        let mode = std::fs::Permissions::from_mode(if is_program { 0o755 } else { 0o644 });
        std::fs::set_permissions(&file, mode).at("change", &file)?;
    }
    let architecture = architecture(build)?;
    let text =
        control_of(&release.version, architecture, &Needs::of(release.workspace, build)?, size_kib(&root)?);
    let file = control.join("control");
    std::fs::write(&file, text).at("write", &file)?;
    let package = release.folder.join(format!("syclscope_{}_{architecture}.deb", release.version));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", "--build"]).arg(&root).arg(&package);
    process::answer(pack.env("SOURCE_DATE_EPOCH", &release.epoch))?;
    Ok(package)
}

fn control_of(version: &str, architecture: &str, needs: &Needs, size_kib: u64) -> String {
    let (major, minor) = needs.glibc;
    // Debian 10 has it under another name, so only a program that needs it depends on it.
    let unwinds = if needs.libraries.iter().any(|name| name == "libgcc_s.so.1") { ", libgcc-s1" } else { "" };
    format!(
        "Package: syclscope\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: syclscope <syclscope@localhost>\n\
         Installed-Size: {size_kib}\nDepends: libc6 (>= {major}.{minor}){unwinds}\nSection: devel\nPriority: optional\n{ABOUT}"
    )
}

fn architecture(build: &Build) -> Result<&'static str> {
    match build.architecture {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => Err(Failure::new(format!("what Debian calls {other} is not known"))),
    }
}

fn size_kib(root: &Path) -> Result<u64> {
    let mut kib = 0;
    for file in fingerprint::files_below(root)? {
        kib += file.metadata().at("read", &file)?.len().div_ceil(1024);
    }
    Ok(kib)
}
