//! Older SYCL runtimes for the recording tests, each with its matching version of dpctl.
//!
//! dpctl is bound to versions of Python. If none of them is installed, the runtime is left out, and its tests are
//! skipped with that reason.

use super::Step;
use super::environment::Environment;
use super::sycl::devices_by_python;
use crate::failure::{AtPath, Result};
use crate::process;
use crate::workspace::Workspace;

/// Versions of intel-sycl-rt; everything else runs on the newest.
pub(crate) const VERSIONS: &[&str] = &["2024.2", "2025.0", "2025.2"];

pub(crate) struct OlderRuntime {
    pub(crate) version: &'static str,
}

impl OlderRuntime {
    /// Its environment, or the reason for its absence.
    pub(crate) fn environment(
        &self,
        workspace: &Workspace,
    ) -> Result<std::result::Result<Environment, String>> {
        let requirements = workspace.root.join(format!("xtask/requirements/sycl-{}.txt", self.version));
        let text = std::fs::read_to_string(&requirements).at("read", &requirements)?;
        let versions = python_versions(&text);
        let link = workspace.target.join(format!("sycl-{}", self.version));
        Ok(match interpreter(&versions) {
            Some(interpreter) => Ok(Environment { link, requirements, interpreter, is_closed: true }),
            None => Err(format!("no Python {} here, for which dpctl has wheels", versions.join(" or "))),
        })
    }
}

impl Step for OlderRuntime {
    fn name(&self) -> String {
        format!("SYCL {}", self.version)
    }

    fn unavailable(&self, workspace: &Workspace) -> Option<String> {
        self.environment(workspace).ok()?.err()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = self.environment(workspace).map_err(|failure| failure.headline().to_owned())??;
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("about 1.2 GB in the cache, a download of 350 MB".to_owned());
        }
        Ok(format!("target/sycl-{}, {}", self.version, devices_by_python(&environment)?))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        match self.environment(workspace)? {
            Ok(environment) => environment.install(workspace),
            Err(_) => Ok(()),
        }
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        match self.environment(workspace) {
            Ok(Ok(environment)) => environment.by_hand(),
            Ok(Err(missing)) => missing,
            Err(failure) => failure.headline().to_owned(),
        }
    }
}

/// Versions after `# python:` in a requirements file.
fn python_versions(requirements: &str) -> Vec<&str> {
    let line = requirements.lines().find_map(|line| line.strip_prefix("# python:"));
    line.unwrap_or_default().split_whitespace().collect()
}

/// A Python of one of `versions`: the default one if it matches, else another installed one.
fn interpreter(versions: &[&str]) -> Option<String> {
    let is_one = |name: &str| {
        let text = process::version_of(name).unwrap_or_default();
        versions.iter().any(|version| is_python(&text, version))
    };
    let beside = versions.iter().rev().map(|version| format!("python{version}"));
    std::iter::once("python3".to_owned()).chain(beside).find(|name| is_one(name))
}

fn is_python(printed: &str, version: &str) -> bool {
    let rest = printed.strip_prefix("Python ").and_then(|rest| rest.strip_prefix(version));
    rest.is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_told_by_the_first_two_numbers() {
        assert!(is_python("Python 3.11.7", "3.11"));
        assert!(!is_python("Python 3.1.7", "3.11"));
        assert!(!is_python("Python 3.11.7", "3.1"));
        assert!(!is_python("", "3.11"));
    }

    #[test]
    fn the_requirements_name_interpreters_and_everything_has_a_hash() {
        for version in VERSIONS {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            let path = path.join(format!("requirements/sycl-{version}.txt"));
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(python_versions(&text).contains(&"3.11"), "{}", path.display());
            let logical = text.replace("\\\n", "");
            for line in logical.lines().filter(|line| !line.starts_with('#')) {
                assert!(line.contains("==") && line.contains("--hash=sha256:"), "{}: {line}", path.display());
            }
        }
    }
}
