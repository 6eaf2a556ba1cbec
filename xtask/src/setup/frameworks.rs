//! Clients of ITT and NVTX, for the tests of ranges.

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct Frameworks;

pub(crate) fn environment(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("frameworks"),
        requirements: workspace.root.join("xtask/requirements/frameworks.txt"),
        interpreter: "python3".to_owned(),
        is_closed: true,
    }
}

impl Step for Frameworks {
    fn name(&self) -> String {
        "clients of ITT and NVTX".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = environment(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("a download of 4 MB".to_owned());
        }
        let mut command = std::process::Command::new(environment.python());
        let versions =
            "from importlib.metadata import version as v; print('nvtx', v('nvtx') + ', ittapi', v('ittapi'))";
        command.args(["-c", versions]);
        let versions = process::answer(&mut command).map_err(|failure| failure.to_string())?;
        Ok(format!("target/frameworks, {}", versions.trim()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        environment(workspace).by_hand()
    }
}
