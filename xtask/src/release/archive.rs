//! The archive for any distribution: unpack it below `/usr/local`, or anywhere.

use std::path::PathBuf;
use std::process::Command;

use super::packed::Release;
use super::staged::Staged;
use crate::artefacts::released::Build;
use crate::failure::Result;
use crate::process;

/// Makes it reproducibly.
pub(super) fn make(release: &Release<'_>, build: &Build, staged: &Staged) -> Result<PathBuf> {
    let name = format!("syclscope-{}-{}-linux", release.version, build.architecture);
    let file = release.folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", release.epoch))
        .args(["--mode=go=rX,u+rw,a-s", "--use-compress-program=gzip -n -9"]);
    tar.arg(format!("--transform=s,^\\.,{name},"))
        .arg("--file")
        .arg(&file)
        .arg("--directory")
        .arg(&staged.usr)
        .arg(".");
    process::answer(&mut tar)?;
    Ok(file)
}
