//! Requirements of the Python package's tests: pytest, a type checker, Arrow, DuckDB, IPython.

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct PythonTests;

pub(crate) fn environment(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("python-tests"),
        requirements: workspace.root.join("xtask/requirements/python.txt"),
        interpreter: "python3".to_owned(),
        is_closed: true,
    }
}

impl Step for PythonTests {
    fn name(&self) -> String {
        "Python's test packages".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = environment(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("about 500 MB in the cache, a download of 150 MB".to_owned());
        }
        let mut command = std::process::Command::new(environment.python());
        command.args(["-c", "import pytest; print('pytest', pytest.__version__)"]);
        let version = process::answer(&mut command).map_err(|failure| failure.to_string())?;
        Ok(format!("target/python-tests, {}", version.trim()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        environment(workspace).by_hand()
    }
}
