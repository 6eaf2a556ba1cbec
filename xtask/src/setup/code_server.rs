//! VS Code as a server, in which the tests open a recording with the extension: code-server, the Node.js that it
//! requires, and an extension packer. All of it comes from npm. If it is unavailable, the test is skipped with that
//! reason.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::Step;
use crate::failure::{AtPath, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct CodeServer;

const FILES: [&str; 2] = ["package.json", "package-lock.json"];
const INNER: &str = "node_modules/code-server/lib/vscode";
const LIMIT: Duration = Duration::from_secs(10 * 60);
/// Pause before a machine that could not get them tries again.
const AGAIN: Duration = Duration::from_secs(24 * 60 * 60);

/// Their folder, or the reason for their absence.
pub(crate) fn find(workspace: &Workspace) -> Result<std::result::Result<PathBuf, String>> {
    let folder = folder(workspace)?;
    if fingerprint::is_stamped(&folder.join("syclscope-stamp"), &fingerprint(workspace)?) {
        return Ok(Ok(folder));
    }
    let reason = std::fs::read_to_string(missing(workspace));
    Ok(Err(
        reason.unwrap_or_else(|_| "code-server is not in the cache: `cargo xtask setup` gets it".to_owned())
    ))
}

fn folder(workspace: &Workspace) -> Result<PathBuf> {
    Ok(workspace.cache.join(format!("code-server-{}", fingerprint(workspace)?)))
}

fn fingerprint(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    for file in FILES {
        let path = source(workspace).join(file);
        fingerprint.text(&std::fs::read_to_string(&path).at("read", &path)?);
    }
    Ok(fingerprint.finish())
}

fn source(workspace: &Workspace) -> PathBuf {
    workspace.root.join("e2e/editor")
}

/// File with the reason for their absence, valid for [`AGAIN`].
fn missing(workspace: &Workspace) -> PathBuf {
    workspace.target.join("xtask/code-server-missing")
}

fn is_news(note: &Path) -> bool {
    let age = note.metadata().and_then(|note| note.modified()).map(|at| SystemTime::now().duration_since(at));
    matches!(age, Ok(Ok(age)) if age < AGAIN)
}

/// Installs the packages into `folder` without running their scripts: the native modules for the editor's terminal and
/// its logs are not needed to show an editor.
fn install(workspace: &Workspace, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).at("create", folder)?;
    for file in FILES {
        std::fs::copy(source(workspace).join(file), folder.join(file)).at("copy", &folder.join(file))?;
    }
    let quietly = ["--ignore-scripts", "--omit=dev", "--omit=optional", "--no-audit", "--no-fund"];
    for (folder, what, log) in [
        (folder.to_owned(), "ci", "npm-ci-editor"),
        // Its lock file does not match its own package.json, which `npm ci` rejects.
        (folder.join(INNER), "install", "npm-install-code-server"),
    ] {
        let mut npm = Command::new("npm");
        npm.arg(what).args(quietly).current_dir(folder);
        process::logged(&mut npm, &workspace.log(log), LIMIT)?;
    }
    Ok(())
}

impl Step for CodeServer {
    fn name(&self) -> String {
        "code-server".to_owned()
    }

    fn unavailable(&self, workspace: &Workspace) -> Option<String> {
        let reason = find(workspace).ok()?.err()?;
        is_news(&missing(workspace)).then_some(reason)
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        match find(workspace).map_err(|failure| failure.headline().to_owned())? {
            Ok(folder) => Ok(folder.display().to_string()),
            Err(reason) if is_news(&missing(workspace)) => Ok(reason),
            Err(_) => Err("730 MB in the cache, a download of 150 MB".to_owned()),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let folder = folder(workspace)?;
        let note = missing(workspace);
        match install(workspace, &folder) {
            Ok(()) => fingerprint::write_stamp(&folder.join("syclscope-stamp"), &fingerprint(workspace)?),
            Err(failure) => {
                let reason = format!("code-server could not be had from npm: {}", failure.headline());
                fingerprint::write_stamp(&note, &reason)
            }
        }
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        format!("cd {} && npm ci --ignore-scripts", source(workspace).display())
    }
}
