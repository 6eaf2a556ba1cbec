//! A SYCL runtime with a CPU device, from PyPI, and the Python packages of the Python example.

use std::process::Command;

use super::Step;
use super::compiler::Compiler;
pub(crate) use super::environment::Environment;
use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::workspace::Workspace;

/// Lists the devices: it proves compiler, headers, runtime and driver at once.
const PROBE: &str = include_str!("probe.cpp");

/// libsycl, its headers and Intel's OpenCL CPU device.
pub(crate) struct Runtime;

/// dpctl, dpnp and their dependencies: large, so apart from the runtime.
pub(crate) struct PythonPackages;

pub(crate) fn runtime(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("sycl"),
        requirements: workspace.root.join("xtask/requirements/sycl.txt"),
        interpreter: "python3".to_owned(),
        is_closed: false,
    }
}

pub(crate) fn python(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("sycl-python"),
        requirements: workspace.root.join("examples/python/requirements.txt"),
        interpreter: "python3".to_owned(),
        is_closed: false,
    }
}

impl Step for Runtime {
    fn name(&self) -> String {
        "SYCL runtime".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = runtime(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("about 1.5 GB in the cache, a download of 400 MB".to_owned());
        }
        let devices = probe(&environment).map_err(|failure| format!("no device: {failure}"))?;
        Ok(format!("target/sycl, device: {}", devices.lines().next().unwrap_or_default()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let environment = runtime(workspace);
        environment.install(workspace)?;
        build_probe(workspace, &environment)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        runtime(workspace).by_hand()
    }
}

impl Step for PythonPackages {
    fn name(&self) -> String {
        "SYCL for Python".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = python(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("about 3 GB in the cache".to_owned());
        }
        Ok(format!("target/sycl-python, {}", devices_by_python(&environment)?))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        python(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        python(workspace).by_hand()
    }
}

/// dpctl's description of an environment's devices, and its version.
pub(super) fn devices_by_python(environment: &Environment) -> std::result::Result<String, String> {
    let mut command = Command::new(environment.python());
    command
        .args(["-c", "import dpctl; print(len(dpctl.get_devices()), 'device(s), dpctl', dpctl.__version__)"]);
    command.envs(environment.variables());
    let printed = process::answer(&mut command).map_err(|failure| failure.to_string())?;
    if printed.starts_with("0 ") {
        return Err("dpctl finds no device".to_owned());
    }
    Ok(printed)
}

fn build_probe(workspace: &Workspace, environment: &Environment) -> Result<()> {
    let source = environment.link.join("syclscope-probe.cpp");
    std::fs::write(&source, PROBE).at("write", &source)?;
    let mut command = Compiler::command();
    command.args(["-std=c++17", "-O1", "-w", "-I"]).arg(environment.link.join("include")).arg(&source);
    command.arg("-L").arg(environment.link.join("lib")).arg("-lsycl");
    command.arg("-o").arg(environment.link.join("syclscope-probe"));
    process::logged(&mut command, &workspace.log("sycl-probe"), process::PATIENCE)
}

fn probe(environment: &Environment) -> Result<String> {
    let program = environment.link.join("syclscope-probe");
    if !program.is_file() {
        return Err(Failure::new("the probe is not built"));
    }
    process::answer(Command::new(program).envs(environment.variables()))
}
