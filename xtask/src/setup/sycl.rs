//! SYCL runtimes with a CPU device, from PyPI: the newest, with the Python packages of the Python example, and older
//! ones for the recording tests, each with its matching version of dpctl.
//!
//! dpctl is bound to versions of Python. If none of them is installed, an older runtime is left out, and its tests are
//! skipped with that reason.

use super::apt;
use super::pypi::Environment;
use super::{State, Step};
use crate::prelude::*;

/// Lists the devices: it proves compiler, headers, runtime and driver at once.
const PROBE: &str = include_str!("probe.cpp");

/// Versions of intel-sycl-rt; everything else runs on the newest.
pub(crate) const OLDER: &[&str] = &["2024.2", "2025.0", "2025.2"];

/// Returns the environment with libsycl, its headers and Intel's OpenCL CPU device.
pub(crate) fn runtime(workspace: &Workspace) -> Environment {
    Environment { is_closed: false, ..Environment::closed(workspace, "sycl") }
}

/// Returns the environment with dpctl, dpnp and their dependencies: large, so apart from the runtime.
pub(crate) fn python(workspace: &Workspace) -> Environment {
    Environment {
        requirements: workspace.root.join("examples/python/requirements.txt"),
        is_closed: false,
        ..Environment::closed(workspace, "sycl-python")
    }
}

/// Returns the environment of an older version, or the reason for its absence.
pub(crate) fn older(
    workspace: &Workspace,
    version: &str,
) -> Result<std::result::Result<Environment, String>> {
    let environment = Environment::closed(workspace, &format!("sycl-{version}"));
    let text = files::read(&environment.requirements)?;
    let versions = python_versions(&text);
    Ok(match interpreter(&versions) {
        Some(interpreter) => Ok(Environment { interpreter, ..environment }),
        None => Err(format!("there is no Python {}, for which dpctl has wheels", versions.join(" or "))),
    })
}

pub(super) fn runtime_step(workspace: &Workspace) -> Step<'_> {
    let size = "about 1.5 GB in the cache, a download of 400 MB";
    runtime(workspace).step(workspace, "SYCL runtime", size, |environment| {
        let probe = environment.link.join("syclscope-probe");
        if !probe.is_file() {
            build_probe(workspace, environment)?;
        }
        let devices = process::answer(Command::new(probe).envs(environment.variables()))?;
        Ok(format!("device: {}", devices.lines().next().unwrap_or_default()))
    })
}

pub(super) fn python_step(workspace: &Workspace) -> Step<'_> {
    python(workspace).step(workspace, "SYCL for Python", "about 3 GB in the cache", devices_by_python)
}

pub(super) fn older_step<'a>(workspace: &'a Workspace, version: &'static str) -> Step<'a> {
    let name = format!("SYCL {version}");
    let missing = match older(workspace, version) {
        Ok(Ok(environment)) => {
            let size = "about 1.2 GB in the cache, a download of 350 MB";
            return environment.step(workspace, name, size, devices_by_python);
        }
        Ok(Err(missing)) => missing,
        Err(failure) => failure.headline().to_owned(),
    };
    Step::new(name, missing.clone(), move || Ok(State::LeftOut(missing.clone())), || Ok(()))
}

/// Returns dpctl's description of an environment's devices, and its version.
fn devices_by_python(environment: &Environment) -> Result<String> {
    let script = "import dpctl; print(len(dpctl.get_devices()), 'device(s), dpctl', dpctl.__version__)";
    let mut command = Command::new(environment.bin("python"));
    let printed = process::answer(command.args(["-c", script]).envs(environment.variables()))?;
    if printed.starts_with("0 ") {
        return Err(Failure::new("dpctl finds no device"));
    }
    Ok(printed)
}

fn build_probe(workspace: &Workspace, environment: &Environment) -> Result<()> {
    let source = environment.link.join("syclscope-probe.cpp");
    files::write(&source, PROBE)?;
    let mut command = apt::compiler();
    command.args(["-std=c++17", "-O1", "-w", "-I"]).arg(environment.link.join("include")).arg(&source);
    command.arg("-L").arg(environment.link.join("lib")).arg("-lsycl");
    workspace.run("sycl-probe", command.arg("-o").arg(environment.link.join("syclscope-probe")))
}

/// Returns the versions after `# python:` in a requirements file.
fn python_versions(requirements: &str) -> Vec<&str> {
    let line = requirements.lines().find_map(|line| line.strip_prefix("# python:"));
    line.unwrap_or_default().split_whitespace().collect()
}

/// Returns a Python of one of `versions`: the default one if it matches, else another installed one.
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
        for version in OLDER {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("requirements/sycl-{version}.txt"));
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(python_versions(&text).contains(&"3.11"), "{}", path.display());
            let logical = text.replace("\\\n", "");
            for line in logical.lines().filter(|line| !line.starts_with('#')) {
                assert!(line.contains("==") && line.contains("--hash=sha256:"), "{}: {line}", path.display());
            }
        }
    }
}
