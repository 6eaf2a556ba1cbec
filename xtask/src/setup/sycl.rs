//! A SYCL runtime with a CPU device, from PyPI, and the Python packages of the Python example.
//!
//! Each is a virtual environment in the cache, named after what it was asked to hold, with a link to it in the
//! target folder: a new clone downloads nothing, a changed requirement makes a new one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Step;
use super::browser::apt_install;
use super::compiler::Compiler;
use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::workspace::Workspace;

/// Lists the devices: it proves compiler, headers, runtime and driver at once.
const PROBE: &str = include_str!("probe.cpp");
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(40 * 60);

/// libsycl, its headers and Intel's OpenCL CPU device.
pub(crate) struct Runtime;

/// dpctl, dpnp and what they stand on: large, so apart from the runtime.
pub(crate) struct PythonPackages;

/// The environment in which C++ examples are compiled and run.
pub(crate) fn runtime(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("sycl"),
        requirements: workspace.root.join("xtask/requirements/sycl.txt"),
    }
}

/// The environment in which the Python example runs.
pub(crate) fn python(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("sycl-python"),
        requirements: workspace.root.join("examples/python/requirements.txt"),
    }
}

/// A virtual environment with pinned packages.
pub(crate) struct Environment {
    /// Where it is found: `target/sycl` or `target/sycl-python`.
    pub(crate) link: PathBuf,
    requirements: PathBuf,
}

impl Environment {
    /// What a program needs in its environment to find the runtime and its CPU device.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let libraries = self.link.join("lib");
        vec![
            ("OCL_ICD_FILENAMES", libraries.join("libintelocl.so").into()),
            ("LD_LIBRARY_PATH", libraries.into()),
        ]
    }

    /// Its Python interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.link.join("bin/python")
    }

    fn fingerprint(&self) -> Result<String> {
        let text = std::fs::read_to_string(&self.requirements).at("read", &self.requirements)?;
        let python = process::version_of("python3").unwrap_or_default();
        Ok(Fingerprint::new().text(&text).text(&python).finish())
    }

    fn folder(&self, workspace: &Workspace) -> Result<PathBuf> {
        let name = self.link.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(workspace.cache.join(format!("{name}-{}", self.fingerprint()?)))
    }

    /// Whether it holds what its requirements say; if so, the target folder's link points to it.
    fn is_complete(&self, workspace: &Workspace) -> Result<bool> {
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

    fn install(&self, workspace: &Workspace) -> Result<()> {
        if self.is_complete(workspace)? {
            return Ok(());
        }
        let folder = self.folder(workspace)?;
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        let name = self.link.file_name().unwrap_or_default().to_string_lossy().into_owned();
        make_environment(workspace, &folder)?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--only-binary=:all:", "-r"]);
        pip.arg(&self.requirements);
        process::logged(&mut pip, &workspace.log(&format!("pip-{name}")), DOWNLOAD_LIMIT)?;
        fingerprint::write_stamp(&folder.join("syclscope-stamp"), &self.fingerprint()?)?;
        self.is_complete(workspace).map(|_| ())
    }

    fn by_hand(&self) -> String {
        format!(
            "python3 -m venv ENVIRONMENT && ENVIRONMENT/bin/pip install -r {}\n\
             (Debian: apt-get install python3 python3-venv first; the packages come from PyPI)",
            self.requirements.display()
        )
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
        let mut command = Command::new(environment.python());
        command.args([
            "-c",
            "import dpctl; print(len(dpctl.get_devices()), 'device(s), dpctl', dpctl.__version__)",
        ]);
        command.envs(environment.variables());
        let printed = process::answer(&mut command).map_err(|failure| failure.to_string())?;
        if printed.starts_with("0 ") {
            return Err("dpctl finds no device".to_owned());
        }
        Ok(format!("target/sycl-python, {printed}"))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        python(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        python(workspace).by_hand()
    }
}

fn make_environment(workspace: &Workspace, folder: &Path) -> Result<()> {
    let log = workspace.log("python-venv");
    let make = || {
        let mut command = Command::new("python3");
        command.args(["-m", "venv"]).arg(folder);
        process::logged(&mut command, &log, Duration::from_secs(300))
    };
    match make() {
        Ok(()) => Ok(()),
        // Debian splits venv from python3.
        Err(_) if process::is_root() && process::on_path("apt-get").is_some() => {
            apt_install(workspace, &["python3-venv"])?;
            make()
        }
        Err(failure) => Err(failure),
    }
}

fn build_probe(workspace: &Workspace, environment: &Environment) -> Result<()> {
    let source = environment.link.join("syclscope-probe.cpp");
    std::fs::write(&source, PROBE).at("write", &source)?;
    let mut command = Compiler::command();
    command.args(["-std=c++17", "-O1", "-w", "-I"]).arg(environment.link.join("include")).arg(&source);
    command.arg("-L").arg(environment.link.join("lib")).arg("-lsycl");
    command.arg("-o").arg(environment.link.join("syclscope-probe"));
    process::logged(&mut command, &workspace.log("sycl-probe"), Duration::from_secs(300))
}

fn probe(environment: &Environment) -> Result<String> {
    let program = environment.link.join("syclscope-probe");
    if !program.is_file() {
        return Err(Failure::new("the probe is not built"));
    }
    process::answer(Command::new(program).envs(environment.variables()))
}
