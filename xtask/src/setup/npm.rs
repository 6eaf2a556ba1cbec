//! Node.js, and packages from npm: wasm-opt, those of the end-to-end tests, and VS Code as a server.

use std::time::{Duration, SystemTime};

use super::{State, Step, apt};
use crate::fingerprint::{self, Fingerprint};
use crate::prelude::*;

pub(crate) const MIN_NODE_FOR_PAGE: u32 = 18;
/// Minimum major version of Node.js for playwright-core.
pub(super) const MIN_NODE_FOR_TESTS: u32 = 20;

const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Returns the step for Node.js with this major version or a newer one, and npm.
pub(crate) fn node(workspace: &Workspace, oldest: u32) -> Step<'_> {
    let by_hand = format!("install Node.js {oldest} or newer with npm, and put both on PATH");
    let state = move || {
        let Some(printed) = process::version_of("node") else {
            return Ok(State::Missing("there is no node".to_owned()));
        };
        let major = printed.trim_start_matches('v').split('.').next().and_then(|text| text.parse().ok());
        if major.unwrap_or(0) < oldest {
            return Ok(State::Missing(format!(
                "Node.js {printed} is too old: {oldest} or newer is required"
            )));
        }
        let npm = process::version_of("npm").ok_or_else(|| Failure::new("there is no npm"))?;
        Ok(State::Ready(format!("{printed}, npm {npm}")))
    };
    Step::new("Node.js", by_hand, state, || apt::install(workspace, &["nodejs", "npm"]))
}

fn npm(workspace: &Workspace, folder: &Path, log: &str, arguments: &[&str]) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(arguments).args(["--no-audit", "--no-fund"]).current_dir(folder);
    process::run_logged(&mut npm, &workspace.log(log), LIMIT)
}

/// The version of wasm-opt's package; `wasm-opt --version` prints its major number. Never the one of Debian 12: version
/// 108 ends without an error and the page then dies on load.
pub(crate) const BINARYEN: &str = "132.0.0";

fn binaryen_folder(workspace: &Workspace) -> PathBuf {
    workspace.cache.join("tools").join(format!("binaryen-{BINARYEN}"))
}

/// Returns the folder of `wasm-opt`, for the front of PATH.
pub(crate) fn wasm_opt_folder(workspace: &Workspace) -> PathBuf {
    binaryen_folder(workspace).join("node_modules/.bin")
}

pub(super) fn binaryen(workspace: &Workspace) -> Step<'_> {
    let folder = binaryen_folder(workspace);
    let package = format!("binaryen@{BINARYEN}");
    let by_hand = format!("npm install --prefix {} {package}", folder.display());
    let state = || {
        let major = BINARYEN.split('.').next().unwrap_or(BINARYEN);
        Ok(match process::version_of(wasm_opt_folder(workspace).join("wasm-opt")) {
            Some(printed) if printed.starts_with(&format!("wasm-opt version {major}")) => {
                State::Ready(format!("{BINARYEN} in {}", binaryen_folder(workspace).display()))
            }
            Some(printed) => State::Missing(format!("wasm-opt is {printed}: {BINARYEN} is required")),
            None => State::Missing(format!("binaryen {BINARYEN} is not installed")),
        })
    };
    Step::new("wasm-opt", by_hand, state, move || {
        files::create(&folder)?;
        npm(workspace, &folder, "install-binaryen", &["install", "--no-save", "--prefix", ".", &package])
    })
}

/// Returns the step for the packages of the end-to-end tests in a folder below the workspace's root.
pub(super) fn test_packages<'a>(workspace: &'a Workspace, name: &'static str) -> Step<'a> {
    let folder = workspace.root.join(name);
    let stamp = folder.join("node_modules/.syclscope-lock");
    let lock = folder.join("package-lock.json");
    let fingerprint = move || -> Result<String> { Ok(Fingerprint::new().tree(&lock)?.finish()) };
    let (own, own_stamp) = (fingerprint.clone(), stamp.clone());
    let state = move || {
        Ok(if fingerprint::is_stamped(&own_stamp, &own()?) {
            State::Ready("node_modules is as package-lock.json says".to_owned())
        } else {
            State::Missing("node_modules is not as package-lock.json says".to_owned())
        })
    };
    Step::new(format!("packages of {name}"), format!("cd {name} && npm ci"), state, move || {
        npm(workspace, &folder, &format!("npm-ci-{}", name.replace('/', "-")), &["ci"])?;
        fingerprint::write_stamp(&stamp, &fingerprint()?)
    })
}

const EDITOR_FILES: [&str; 2] = ["package.json", "package-lock.json"];
/// Pause before a machine that could not get code-server tries again.
const RETRY_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the folder of code-server, or the reason for its absence.
pub(crate) fn find_code_server(workspace: &Workspace) -> Result<std::result::Result<PathBuf, String>> {
    let (folder, fingerprint) = editor(workspace)?;
    if fingerprint::is_stamped(&folder.join("syclscope-stamp"), &fingerprint) {
        return Ok(Ok(folder));
    }
    let reason = std::fs::read_to_string(editor_note(workspace));
    Ok(Err(
        reason.unwrap_or_else(|_| "code-server is not in the cache: `cargo xtask setup` gets it".to_owned())
    ))
}

/// Returns the step for VS Code as a server, in which the tests open a recording with the extension: code-server, the
/// Node.js that it requires, and an extension packer. If it is unavailable, the test is skipped with that reason.
pub(super) fn code_server(workspace: &Workspace) -> Step<'_> {
    let by_hand = format!("cd {} && npm ci --ignore-scripts", workspace.root.join("e2e/editor").display());
    let state = || {
        let noted = editor_note(workspace).metadata().and_then(|note| note.modified());
        let age = noted.map(|at| SystemTime::now().duration_since(at));
        Ok(match find_code_server(workspace)? {
            Ok(folder) => State::Ready(folder.display().to_string()),
            Err(reason) if matches!(age, Ok(Ok(age)) if age < RETRY_INTERVAL) => State::LeftOut(reason),
            Err(_) => State::Missing(
                "code-server is not installed: a download of 150 MB, 730 MB in the cache".to_owned(),
            ),
        })
    };
    Step::new("code-server", by_hand, state, || {
        let (folder, fingerprint) = editor(workspace)?;
        match install_code_server(workspace, &folder) {
            Ok(()) => fingerprint::write_stamp(&folder.join("syclscope-stamp"), &fingerprint),
            Err(failure) => {
                let reason = format!("code-server could not be had from npm: {}", failure.headline());
                fingerprint::write_stamp(&editor_note(workspace), &reason)
            }
        }
    })
}

/// Returns the file with the reason for the absence of code-server, valid for [`RETRY_INTERVAL`].
fn editor_note(workspace: &Workspace) -> PathBuf {
    workspace.target.join("xtask/code-server-missing")
}

/// Returns the folder of code-server in the cache, and the fingerprint of its package files.
fn editor(workspace: &Workspace) -> Result<(PathBuf, String)> {
    let mut fingerprint = Fingerprint::new();
    for file in EDITOR_FILES {
        fingerprint.text(&files::read(&workspace.root.join("e2e/editor").join(file))?);
    }
    let fingerprint = fingerprint.finish();
    Ok((workspace.cache.join(format!("code-server-{fingerprint}")), fingerprint))
}

/// Installs the packages without running their scripts: the native modules for the editor's terminal and its logs are
/// not needed to show an editor.
fn install_code_server(workspace: &Workspace, folder: &Path) -> Result<()> {
    for file in EDITOR_FILES {
        files::copy(&workspace.root.join("e2e/editor").join(file), &folder.join(file))?;
    }
    let npm = |folder: &Path, what, log| {
        npm(workspace, folder, log, &[what, "--ignore-scripts", "--omit=dev", "--omit=optional"])
    };
    npm(folder, "ci", "npm-ci-editor")?;
    // Its lock file does not match its own package.json, which `npm ci` rejects.
    npm(&folder.join("node_modules/code-server/lib/vscode"), "install", "npm-install-code-server")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::cargo_tools::WASM_BINDGEN;

    #[test]
    fn trunk_is_told_the_versions_that_are_set_up() {
        let workspace = Workspace::of_this_clone();
        let trunk = files::read(&workspace.root.join("Trunk.toml")).unwrap();
        let major = BINARYEN.split('.').next().unwrap();
        assert!(trunk.contains(&format!("\nwasm_opt = \"version_{major}\"\n")), "{trunk}");
        let library = workspace.locked_version("wasm-bindgen").unwrap();
        assert!(
            trunk.contains(&format!("\nwasm_bindgen = \"{library}\"\n")),
            "Cargo.lock has {library}; {trunk}"
        );
        assert_eq!(library, WASM_BINDGEN.version);
    }
}
