//! Programs of the system, which root installs by apt-get.

use std::sync::Mutex;
use std::time::Duration;

use super::{State, Step};
use crate::prelude::*;

pub(crate) struct Program {
    name: &'static str,
    /// Variable with which a user names another program, and its meaning.
    variable: (&'static str, &'static str),
    find: fn() -> Option<PathBuf>,
    version: fn(&Path) -> Option<String>,
    /// Packages with the program. If the first are unavailable, the second are tried.
    packages: &'static [&'static [&'static str]],
}

/// Compiles the example programs. No SYCL compiler is needed.
pub(crate) const COMPILER: Program = Program {
    name: "C++ compiler",
    variable: ("CXX", "a C++17 compiler"),
    find: || process::on_path("g++"),
    version: |file| process::version_of(file),
    packages: &[&["g++"]],
};

/// The headless shell first: it draws without the compositor of a desktop, and takes less processor time. Debian has
/// it, other distributions with apt-get do not.
pub(crate) const CHROMIUM: Program = Program {
    name: "Chromium",
    variable: ("CHROMIUM", "a Chromium or Chrome"),
    find: || {
        let chromium = ["chromium-headless-shell", "chromium", "chromium-browser"];
        let chrome = ["google-chrome", "google-chrome-stable"];
        chromium.into_iter().chain(chrome).find_map(process::on_path)
    },
    version: |file| Some(format!("{} ({})", process::version_of(file)?, file.display())),
    packages: &[&["chromium-headless-shell", "fonts-dejavu-core"], &["chromium", "fonts-dejavu-core"]],
};

/// A load balancer for several server instances in the tests. A service started by Debian's package is not touched.
pub(crate) const NGINX: Program = Program {
    name: "nginx",
    variable: ("NGINX", "the program"),
    find: || {
        // Debian's program is on the PATH of root only.
        let own = || Some(PathBuf::from("/usr/sbin/nginx")).filter(|file| file.is_file());
        process::on_path("nginx").or_else(own)
    },
    version: |file| {
        // nginx prints its version on standard error.
        let output = Command::new(file).arg("-v").output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
    },
    packages: &[&["nginx-light"]],
};

/// Folder of `initdb` and `postgres`, with which the server's tests start one. A service started by Debian's package is
/// not touched.
pub(crate) const POSTGRES: Program = Program {
    name: "PostgreSQL",
    variable: ("POSTGRES_BIN", "the folder of its programs"),
    // Debian has a folder per version, which is not on PATH; the newest counts.
    find: || {
        let folders = files::entries(Path::new("/usr/lib/postgresql")).ok()?;
        let versions = folders
            .into_iter()
            .filter_map(|folder| Some((files::name(&folder).parse::<u32>().ok()?, folder.join("bin"))));
        versions.filter(|(_, bin)| bin.join("initdb").is_file()).max().map(|(_, bin)| bin)
    },
    version: |bin| process::version_of(bin.join("postgres")),
    packages: &[&["postgresql"]],
};

pub(crate) fn compiler() -> Command {
    Command::new(COMPILER.find().unwrap_or_else(|| "g++".into()))
}

impl Program {
    pub(crate) fn find(&self) -> Option<PathBuf> {
        process::path_variable(self.variable.0).or_else(self.find)
    }

    pub(super) fn step<'a>(&'static self, workspace: &'a Workspace) -> Step<'a> {
        let (variable, other) = self.variable;
        let by_hand = format!(
            "install it (Debian: apt-get install {}), or set {variable} to {other}",
            self.packages[0][0]
        );
        let state = || {
            let Some(found) = self.find() else {
                return Ok(State::Missing(format!("there is no {}", self.name)));
            };
            let broken = || State::Missing(format!("{} does not run", found.display()));
            Ok((self.version)(&found).map_or_else(broken, State::Ready))
        };
        Step::new(self.name, by_hand, state, || {
            let mut attempts = self.packages.iter().map(|packages| install(workspace, packages));
            let first = attempts.next().unwrap_or(Ok(()));
            first.or_else(|failure| attempts.next().unwrap_or(Err(failure)))
        })
    }
}

pub(super) fn install(workspace: &Workspace, packages: &[&str]) -> Result<()> {
    let words = ["install", "-y", "--no-remove", "--no-install-recommends"];
    if process::on_path("apt-get").is_none() {
        return Err(Failure::new("this system has no apt-get"));
    }
    if !process::is_root() {
        let line = format!("apt-get {} {}", words.join(" "), packages.join(" "));
        return Err(Failure::new(format!("only root may run: {line}")));
    }
    // apt-get refuses to run twice at once.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let apt = |log: &str, arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        process::run_logged(&mut command, &workspace.log(log), Duration::from_secs(20 * 60))
    };
    apt("apt-update", &["update"])?;
    apt(&format!("apt-{}", packages[0]), &[&words[..], packages].concat())
}
