//! Packages of an installation: an archive for any distribution, which users unpack below `/usr/local` or anywhere,
//! and a Debian package, which `dpkg-deb` writes.

use std::os::unix::fs::PermissionsExt as _;

use super::Release;
use super::requirements::Requirements;
use crate::artefacts::released::Build;
use crate::prelude::*;
use crate::setup::other_target::of_debian;

/// Completions: the shell, and the file that it looks for.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/syclscope"),
    ("zsh", "share/zsh/vendor-completions/_syclscope"),
    ("fish", "share/fish/vendor_completions.d/syclscope.fish"),
];

const ABOUT: &str = "\
Description: records SYCL programs and shows what they did
 syclscope records a SYCL program (oneAPI DPC++) through the runtime's own
 instrumentation and shows the run in a browser: kernels, copies, queues,
 waits, memory, the task graph. Page and recorder are inside the program.
";

/// Puts a program, manual pages, completions and licences into a folder, and returns it. This machine's program writes
/// the pages, whatever the target.
pub(super) fn stage(release: &Release<'_>, build: &Build, notices: &str) -> Result<PathBuf> {
    let usr = release.workspace.target.join("xtask/staged").join(build.architecture).join("usr");
    files::empty(&usr)?;
    files::copy(&build.program, &usr.join("bin/syclscope"))?;
    for (shell, file) in COMPLETIONS {
        let script = process::answer(Command::new(&release.native.program).args(["completions", shell]))?;
        files::write(&usr.join(file), script)?;
    }
    let manual = usr.join("share/man/man1");
    process::quiet(Command::new(&release.native.program).arg("man").arg(&manual))?;
    // Neither name nor time in the compressed file.
    process::quiet(Command::new("gzip").args(["--no-name", "--best", "--recursive"]).arg(&manual))?;
    let documents = usr.join("share/doc/syclscope");
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        files::write(&documents.join(name), files::read(&release.workspace.root.join(name))?)?;
    }
    files::write(&documents.join("licences-of-dependencies.txt"), notices)?;
    Ok(usr)
}

pub(super) fn archive(release: &Release<'_>, build: &Build, usr: &Path) -> Result<PathBuf> {
    let name = format!("syclscope-{}-{}-linux", release.version, build.architecture);
    let file = release.folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", release.epoch));
    tar.args(["--mode=go=rX,u+rw,a-s", "--use-compress-program=gzip -n -9"]);
    tar.arg(format!("--transform=s,^\\.,{name},")).arg("--file").arg(&file);
    process::quiet(tar.arg("--directory").arg(usr).arg("."))?;
    Ok(file)
}

pub(super) fn debian(release: &Release<'_>, build: &Build, usr: &Path) -> Result<PathBuf> {
    let root = release.workspace.target.join("xtask/staged").join(build.architecture).join("debian");
    files::empty(&root)?;
    process::quiet(Command::new("cp").arg("--recursive").arg(usr).arg(root.join("usr")))?;
    let documents = root.join("usr/share/doc/syclscope");
    files::copy(&documents.join("LICENSE-MIT"), &documents.join("copyright"))?;
    let mut size_kib = 0;
    for file in files::below(&root)? {
        let is_program = file.ends_with("usr/bin/syclscope");
        let mode = std::fs::Permissions::from_mode(if is_program { 0o755 } else { 0o644 });
        std::fs::set_permissions(&file, mode).at("change", &file)?;
        size_kib += files::len(&file)?.div_ceil(1024);
    }
    let architecture = of_debian(build.architecture)?;
    let requirements = Requirements::new(release.workspace, build)?;
    files::write(
        &root.join("DEBIAN/control"),
        control(&release.version, architecture, &requirements, size_kib),
    )?;
    let package = release.folder.join(format!("syclscope_{}_{architecture}.deb", release.version));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", "--build"]).arg(&root).arg(&package);
    process::quiet(pack.env("SOURCE_DATE_EPOCH", &release.epoch))?;
    Ok(package)
}

fn control(version: &str, architecture: &str, requirements: &Requirements, size_kib: u64) -> String {
    let (major, minor) = requirements.glibc;
    // Debian 10 has it under another name, so only a program that needs it depends on it.
    let unwinds =
        if requirements.libraries.iter().any(|name| name == "libgcc_s.so.1") { ", libgcc-s1" } else { "" };
    format!(
        "Package: syclscope\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: syclscope <syclscope@localhost>\n\
         Installed-Size: {size_kib}\nDepends: libc6 (>= {major}.{minor}){unwinds}\nSection: devel\nPriority: optional\n{ABOUT}"
    )
}
