//! DuckDB, for reading the tables of `convert --to parquet`.

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct DuckDb;

pub(crate) fn environment(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("duckdb"),
        requirements: workspace.root.join("xtask/requirements/duckdb.txt"),
        interpreter: "python3".to_owned(),
        is_closed: true,
    }
}

impl Step for DuckDb {
    fn name(&self) -> String {
        "DuckDB".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = environment(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("a download of 20 MB".to_owned());
        }
        let mut command = std::process::Command::new(environment.python());
        command.args(["-c", "import duckdb; print(duckdb.__version__)"]);
        let version = process::answer(&mut command).map_err(|failure| failure.to_string())?;
        Ok(format!("target/duckdb, {}", version.trim()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        environment(workspace).by_hand()
    }
}
