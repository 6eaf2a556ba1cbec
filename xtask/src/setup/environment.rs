//! Virtual environments with pinned packages.
//!
//! Each is in the cache, named after its requirements, with a link to it in the target folder: a new clone
//! downloads nothing, and a changed requirement makes a new one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::browser::apt_install;
use crate::failure::{AtPath, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::workspace::Workspace;

const DOWNLOAD_LIMIT: Duration = Duration::from_secs(40 * 60);

pub(crate) struct Environment {
    /// For example `target/sycl`.
    pub(crate) link: PathBuf,
    pub(super) requirements: PathBuf,
    pub(super) interpreter: String,
    /// True if the requirements list everything, with hashes.
    pub(super) is_closed: bool,
}

impl Environment {
    /// Variables with which a program finds the runtime and its CPU device.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let libraries = self.link.join("lib");
        vec![
            ("OCL_ICD_FILENAMES", libraries.join("libintelocl.so").into()),
            ("LD_LIBRARY_PATH", libraries.into()),
        ]
    }

    pub(crate) fn python(&self) -> PathBuf {
        self.link.join("bin/python")
    }

    fn fingerprint(&self) -> Result<String> {
        let text = std::fs::read_to_string(&self.requirements).at("read", &self.requirements)?;
        let python = process::version_of(&self.interpreter).unwrap_or_default();
        Ok(Fingerprint::new().text(&text).text(&python).finish())
    }

    fn folder(&self, workspace: &Workspace) -> Result<PathBuf> {
        Ok(workspace.cache.join(format!("{}-{}", self.name(), self.fingerprint()?)))
    }

    fn name(&self) -> String {
        self.link.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// True if it has its requirements; then the target folder's link points to it.
    pub(crate) fn is_complete(&self, workspace: &Workspace) -> Result<bool> {
        let folder = self.folder(workspace)?;
        if !fingerprint::is_stamped(&folder.join("syclscope-stamp"), &self.fingerprint()?) {
            return Ok(false);
        }
        if std::fs::read_link(&self.link).ok().as_deref() != Some(&folder) {
            std::fs::create_dir_all(&workspace.target).at("create", &workspace.target)?;
            let _ = std::fs::remove_file(&self.link);
            std::os::unix::fs::symlink(&folder, &self.link).at("link", &self.link)?;
        }
        Ok(true)
    }

    pub(super) fn install(&self, workspace: &Workspace) -> Result<()> {
        if self.is_complete(workspace)? {
            return Ok(());
        }
        let folder = self.folder(workspace)?;
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        make(workspace, &self.interpreter, &folder)?;
        let mut pip = Command::new(folder.join("bin/python"));
        // Python compiles a module at its first import; pip would compile every module of every package.
        pip.args([
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--only-binary=:all:",
            "--no-compile",
        ]);
        if self.is_closed {
            pip.args(["--no-deps", "--require-hashes"]);
        }
        pip.arg("-r").arg(&self.requirements);
        process::logged(&mut pip, &workspace.log(&format!("pip-{}", self.name())), DOWNLOAD_LIMIT)?;
        fingerprint::write_stamp(&folder.join("syclscope-stamp"), &self.fingerprint()?)?;
        self.is_complete(workspace).map(|_| ())
    }

    pub(super) fn by_hand(&self) -> String {
        format!(
            "{0} -m venv ENVIRONMENT && ENVIRONMENT/bin/pip install {1}-r {2}\n\
             (Debian: apt-get install python3 python3-venv first; the packages come from PyPI)",
            self.interpreter,
            if self.is_closed { "--no-deps " } else { "" },
            self.requirements.display()
        )
    }
}

fn make(workspace: &Workspace, interpreter: &str, folder: &Path) -> Result<()> {
    let log = workspace.log("python-venv");
    let make = || {
        let mut command = Command::new(interpreter);
        command.args(["-m", "venv"]).arg(folder);
        process::logged(&mut command, &log, process::PATIENCE)
    };
    match make() {
        Ok(()) => Ok(()),
        // Debian splits venv from python3.
        Err(_) if process::is_root() && process::on_path("apt-get").is_some() => {
            apt_install(workspace, &[&format!("{interpreter}-venv")])?;
            make()
        }
        Err(failure) => Err(failure),
    }
}
