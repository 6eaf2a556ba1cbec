//! Node.js, and the packages of the end-to-end tests.

use std::process::Command;
use std::time::Duration;

use super::Step;
use super::browser::apt_install;
use crate::failure::Result;
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct Node {
    /// Minimum major version.
    oldest: u32,
}

impl Node {
    /// For wasm-opt.
    pub(crate) const FOR_PAGE: Node = Node { oldest: 18 };
    /// For playwright-core.
    pub(crate) const FOR_TESTS: Node = Node { oldest: 20 };
}

impl Step for Node {
    fn name(&self) -> String {
        "Node.js".to_owned()
    }

    fn check(&self, _: &Workspace) -> std::result::Result<String, String> {
        let printed = process::version_of("node").ok_or_else(|| "there is no node".to_owned())?;
        let major = printed.trim_start_matches('v').split('.').next().and_then(|text| text.parse().ok());
        if major.unwrap_or(0) < self.oldest {
            return Err(format!("node is {printed}, {} or newer is wanted", self.oldest));
        }
        let npm = process::version_of("npm").ok_or_else(|| "there is no npm".to_owned())?;
        Ok(format!("{printed}, npm {npm}"))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        apt_install(workspace, &["nodejs", "npm"])
    }

    fn by_hand(&self, _: &Workspace) -> String {
        format!("install Node.js {} or newer with npm, and put both on PATH", self.oldest)
    }
}

pub(crate) struct TestPackages {
    /// Below the workspace's root.
    folder: &'static str,
}

impl TestPackages {
    /// Browser automation.
    pub(crate) const OF_PAGE: TestPackages = TestPackages { folder: "e2e" };
    /// Services of servers.
    pub(crate) const OF_SERVER: TestPackages = TestPackages { folder: "e2e/server" };

    fn fingerprint(&self, workspace: &Workspace) -> Result<String> {
        let lock = workspace.root.join(self.folder).join("package-lock.json");
        Ok(Fingerprint::new().tree(&lock)?.finish())
    }
}

impl Step for TestPackages {
    fn name(&self) -> String {
        format!("packages of {}", self.folder)
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let wanted = self.fingerprint(workspace).map_err(|failure| failure.headline().to_owned())?;
        let modules = workspace.root.join(self.folder).join("node_modules");
        if fingerprint::is_stamped(&modules.join(".syclscope-lock"), &wanted) {
            Ok("node_modules is as package-lock.json says".to_owned())
        } else {
            Err("node_modules is not as package-lock.json says".to_owned())
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let folder = workspace.root.join(self.folder);
        let mut command = Command::new("npm");
        command.args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder);
        process::logged(
            &mut command,
            &workspace.log(&format!("npm-ci-{}", self.folder.replace('/', "-"))),
            Duration::from_secs(600),
        )?;
        let stamp = folder.join("node_modules/.syclscope-lock");
        fingerprint::write_stamp(&stamp, &self.fingerprint(workspace)?)
    }

    fn by_hand(&self, _: &Workspace) -> String {
        format!("cd {} && npm ci", self.folder)
    }
}
