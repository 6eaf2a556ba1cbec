//! MPICH, whose launcher starts ranks for tests.

use std::path::PathBuf;

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct Mpich;

pub(crate) fn launcher(workspace: &Workspace) -> PathBuf {
    environment(workspace).link.join("bin/mpirun")
}

fn environment(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("mpich"),
        requirements: workspace.root.join("xtask/requirements/mpich.txt"),
        interpreter: "python3".to_owned(),
        is_closed: true,
    }
}

impl Step for Mpich {
    fn name(&self) -> String {
        "MPICH".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = environment(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("a download of 13 MB".to_owned());
        }
        process::version_of(launcher(workspace)).ok_or("it does not run")?;
        Ok("target/mpich".to_owned())
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        environment(workspace).by_hand()
    }
}
