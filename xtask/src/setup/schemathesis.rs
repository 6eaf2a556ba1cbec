//! schemathesis, which generates requests to the server from its API description.

use std::path::PathBuf;

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct Schemathesis;

pub(crate) fn program(workspace: &Workspace) -> PathBuf {
    environment(workspace).link.join("bin/schemathesis")
}

fn environment(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("schemathesis"),
        requirements: workspace.root.join("xtask/requirements/schemathesis.txt"),
        interpreter: "python3".to_owned(),
        is_closed: true,
    }
}

impl Step for Schemathesis {
    fn name(&self) -> String {
        "schemathesis".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = environment(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("a download of 10 MB".to_owned());
        }
        let version = process::version_of(program(workspace)).ok_or("it does not run")?;
        Ok(format!("target/schemathesis, {version}"))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        environment(workspace).by_hand()
    }
}
