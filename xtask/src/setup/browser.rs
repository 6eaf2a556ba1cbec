use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use super::Step;
use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;

/// The headless shell first: it draws without the compositor of a desktop, and takes less processor time.
const NAMES: &[&str] =
    &["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

pub(crate) struct Chromium;

impl Chromium {
    /// The browser: `CHROMIUM`, or the first one found on PATH.
    pub(crate) fn find() -> Option<PathBuf> {
        let given = std::env::var_os("CHROMIUM").filter(|value| !value.is_empty()).map(PathBuf::from);
        given.or_else(|| NAMES.iter().find_map(|name| process::on_path(name)))
    }
}

impl Step for Chromium {
    fn name(&self) -> String {
        "Chromium".to_owned()
    }

    fn check(&self, _: &Workspace) -> std::result::Result<String, String> {
        let found = Self::find().ok_or_else(|| "there is no Chromium".to_owned())?;
        let version =
            process::version_of(&found).ok_or_else(|| format!("{} does not run", found.display()))?;
        Ok(format!("{version} ({})", found.display()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        // Debian has the headless shell, other distributions with apt-get do not.
        apt_install(workspace, &["chromium-headless-shell", "fonts-dejavu-core"])
            .or_else(|_| apt_install(workspace, &["chromium", "fonts-dejavu-core"]))
    }

    fn by_hand(&self, _: &Workspace) -> String {
        "install Chromium (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to a Chromium or Chrome"
            .to_owned()
    }
}

pub(super) fn apt_install(workspace: &Workspace, packages: &[&str]) -> Result<()> {
    let command_line =
        format!("apt-get install -y --no-remove --no-install-recommends {}", packages.join(" "));
    if process::on_path("apt-get").is_none() {
        return Err(Failure::new("this system has no apt-get"));
    }
    if !process::is_root() {
        return Err(Failure::new(format!("only root may run: {command_line}")));
    }
    // apt-get refuses to run twice at once.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let limit = Duration::from_secs(20 * 60);
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    process::logged(&mut apt(&["update"]), &workspace.log("apt-update"), limit)?;
    let mut install = apt(&["install", "-y", "--no-remove", "--no-install-recommends"]);
    install.args(packages);
    process::logged(&mut install, &workspace.log(&format!("apt-{}", packages[0])), limit)
}
