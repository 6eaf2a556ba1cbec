//! Packages of one release of Debian, independent of this machine's release: downloaded by apt with separate lists, and
//! not installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::workspace::Workspace;

const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Missing tools to download and unpack Debian packages.
pub(super) fn lacks() -> Option<String> {
    let missing = ["apt-get", "dpkg-deb"].into_iter().find(|tool| process::on_path(tool).is_none());
    let missing = missing.or_else(|| (!Path::new(KEYS).is_file()).then_some(KEYS));
    missing.map(|what| format!("it comes as a package of Debian's, and there is no {what}"))
}

/// Downloads packages, as `NAME` or `NAME=VERSION`, of a release and its security updates for an architecture (in
/// Debian's terms) into `folder`, which is emptied first. Returns their files.
pub(super) fn download(
    workspace: &Workspace,
    release: &str,
    architecture: &str,
    packages: &[String],
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    let _ = std::fs::remove_dir_all(folder);
    for part in ["lists/partial", "cache/archives/partial", "packages"] {
        let part = folder.join(part);
        std::fs::create_dir_all(&part).at("create", &part)?;
    }
    let sources = folder.join("sources.list");
    let lines = [("debian", release.to_owned()), ("debian-security", format!("{release}-security"))].map(
        |(archive, suite)| format!("deb [signed-by={KEYS}] http://deb.debian.org/{archive} {suite} main\n"),
    );
    std::fs::write(&sources, lines.concat()).at("write", &sources)?;
    let log = workspace.log(&format!("apt-{release}-{architecture}"));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        for (name, value) in [
            ("Dir::Etc::SourceList", sources.as_path()),
            ("Dir::Etc::SourceParts", Path::new("-")),
            ("Dir::State::Lists", &folder.join("lists")),
            ("Dir::Cache", &folder.join("cache")),
            ("Acquire::Languages", Path::new("none")),
            ("APT::Architecture", Path::new(architecture)),
            // As root it would change to a user who may not write here.
            ("APT::Sandbox::User", Path::new("root")),
        ] {
            command.arg("-o").arg(format!("{name}={}", value.display()));
        }
        command.args(arguments).current_dir(folder.join("packages"));
        process::logged(&mut command, &log, LIMIT)
    };
    apt(&["--quiet", "update"])?;
    let mut arguments = vec!["--quiet", "download"];
    arguments.extend(packages.iter().map(String::as_str));
    apt(&arguments)?;
    let place = folder.join("packages");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&place)
        .at("list", &place)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .collect();
    files.sort();
    if files.len() != packages.len() {
        return Err(Failure::new(format!("apt-get downloaded no {}", packages.join(", "))).with_log(log));
    }
    Ok(files)
}

/// Unpacks a package into a folder without running its scripts.
pub(super) fn unpack(package: &Path, folder: &Path) -> Result<()> {
    process::answer(Command::new("dpkg-deb").arg("--extract").arg(package).arg(folder)).map(|_| ())
}
