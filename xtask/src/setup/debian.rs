//! Packages of one release of Debian, independent of this machine's release: downloaded by apt with separate lists, and
//! not installed.

use std::sync::Mutex;
use std::time::Duration;

use super::{State, Step};
use crate::files::Scratch;
use crate::prelude::*;

const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Files of packages that tests use, in the cache. Where they can't be fetched, those tests are skipped.
pub(crate) struct PackageFiles {
    title: &'static str,
    /// In the cache.
    folder: &'static str,
    release: &'static str,
    packages: &'static [&'static str],
    /// Copies the needed files of the unpacked packages into a folder.
    take: fn(&Path, &Path) -> Result<()>,
    /// Reason for their absence, for this call of xtask.
    missing: Mutex<Option<String>>,
}

impl PackageFiles {
    pub(super) const fn new(
        title: &'static str,
        folder: &'static str,
        release: &'static str,
        packages: &'static [&'static str],
        take: fn(&Path, &Path) -> Result<()>,
    ) -> Self {
        Self { title, folder, release, packages, take, missing: Mutex::new(None) }
    }

    /// Returns the folder of the files, or the reason for their absence.
    pub(crate) fn find(&self, workspace: &Workspace) -> std::result::Result<PathBuf, String> {
        let folder = workspace.cache.join(self.folder);
        if folder.is_dir() {
            return Ok(folder);
        }
        let unfetched = || format!("{} is not in the cache: `cargo xtask setup` gets it", self.title);
        Err(self.missing().unwrap_or_else(unfetched))
    }

    pub(super) fn step<'a>(&'a self, workspace: &'a Workspace) -> Step<'a> {
        let packages = self.packages.join(" and ");
        let folder = workspace.cache.join(self.folder);
        let by_hand = format!(
            "copy {} of a machine with apt-get, where set-up makes it of {packages} of Debian {}",
            folder.display(),
            self.release
        );
        let state = || {
            if let Some(reason) = lacks() {
                self.note(&reason);
                return Ok(State::LeftOut(reason));
            }
            Ok(match self.find(workspace) {
                Ok(folder) => State::Ready(folder.display().to_string()),
                Err(reason) if self.missing().is_some() => State::LeftOut(reason),
                Err(_) => State::Missing("it is not in the cache".to_owned()),
            })
        };
        Step::new(self.title, by_hand, state, move || {
            if let Err(failure) = self.fetch(workspace) {
                self.note(&format!("Debian's {packages} can't be fetched: {}", failure.headline()));
            }
            Ok(())
        })
    }

    fn missing(&self) -> Option<String> {
        self.missing.lock().ok().and_then(|missing| missing.clone())
    }

    fn note(&self, reason: &str) {
        if let Ok(mut missing) = self.missing.lock() {
            *missing = Some(reason.to_owned());
        }
    }

    fn fetch(&self, workspace: &Workspace) -> Result<()> {
        let packages: Vec<String> = self.packages.iter().map(|name| (*name).to_owned()).collect();
        let scratch = unpacked(workspace, (self.release, "amd64"), &packages, |_| Ok(()))?;
        let folder = workspace.cache.join(self.folder);
        let partial = folder.with_extension("partial");
        files::empty(&partial)?;
        (self.take)(&scratch.join("unpacked"), &partial)?;
        files::remove_folder(&folder)?;
        files::rename(&partial, &folder)
    }
}

/// Returns the missing tools to download and unpack Debian packages.
pub(super) fn lacks() -> Option<String> {
    let missing = ["apt-get", "dpkg-deb"].into_iter().find(|tool| process::on_path(tool).is_none());
    let missing = missing.or_else(|| (!Path::new(KEYS).is_file()).then_some(KEYS));
    missing.map(|what| format!("it is a package of Debian, and there is no {what}"))
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
            // As root, apt would change to a user who may not write here.
            ("APT::Sandbox::User", Path::new("root")),
        ] {
            command.arg("-o").arg(format!("{name}={}", value.display()));
        }
        command.args(arguments).current_dir(folder.join("packages"));
        process::run_logged(&mut command, &log, LIMIT)
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
