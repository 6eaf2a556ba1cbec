//! Packages of one release of Debian, independent of this machine's release: downloaded by apt with separate lists, and
//! not installed.

use std::time::Duration;

use crate::files::Scratch;
use crate::prelude::*;

const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Missing tools to download and unpack Debian packages.
pub(super) fn lacks() -> Option<String> {
    let missing = ["apt-get", "dpkg-deb"].into_iter().find(|tool| process::on_path(tool).is_none());
    let missing = missing.or_else(|| (!Path::new(KEYS).is_file()).then_some(KEYS));
    missing.map(|what| format!("it comes as a package of Debian's, and there is no {what}"))
}

/// Unpacks packages, as `NAME` or `NAME=VERSION`, of a release and its security updates for an architecture (in
/// Debian's terms), without running their scripts. `is_right` may reject a package's file.
pub(super) fn unpacked(
    workspace: &Workspace,
    (release, architecture): (&str, &str),
    packages: &[String],
    is_right: impl Fn(&Path) -> Result<()>,
) -> Result<Scratch> {
    let log = workspace.log(&format!("apt-{release}-{architecture}"));
    let folder = Scratch::new(workspace.target.join(format!("xtask/apt-{release}-{architecture}")))?;
    for part in ["lists/partial", "cache/archives/partial", "packages"] {
        files::create(&folder.join(part))?;
    }
    let sources = folder.join("sources.list");
    let lines = [("debian", release.to_owned()), ("debian-security", format!("{release}-security"))].map(
        |(archive, suite)| format!("deb [signed-by={KEYS}] http://deb.debian.org/{archive} {suite} main\n"),
    );
    files::write(&sources, lines.concat())?;
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
    let names = packages.iter().map(String::as_str);
    apt(&["--quiet", "download"].into_iter().chain(names).collect::<Vec<_>>())?;
    let mut archives = files::entries(&folder.join("packages"))?;
    archives.retain(|file| files::has_extension(file, "deb"));
    if archives.len() != packages.len() {
        return Err(Failure::new(format!("apt-get downloaded no {}", packages.join(", "))).with_log(log));
    }
    for archive in archives {
        is_right(&archive)?;
        let mut extract = Command::new("dpkg-deb");
        process::quiet(extract.arg("--extract").arg(&archive).arg(folder.join("unpacked")))?;
    }
    Ok(folder)
}
