//! JupyterLab, in which the tests show a page below a notebook's cell.

use super::Step;
use super::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct JupyterLab;

pub(crate) fn environment(workspace: &Workspace) -> Environment {
    Environment {
        link: workspace.target.join("jupyter"),
        requirements: workspace.root.join("xtask/requirements/jupyter.txt"),
        interpreter: "python3".to_owned(),
        is_closed: true,
    }
}

impl Step for JupyterLab {
    fn name(&self) -> String {
        "JupyterLab".to_owned()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        let environment = environment(workspace);
        if !environment.is_complete(workspace).map_err(|failure| failure.headline().to_owned())? {
            return Err("270 MB in the cache".to_owned());
        }
        let mut command = std::process::Command::new(environment.python());
        command.args(["-c", "import importlib.metadata as m; print(m.version('jupyterlab'))"]);
        let version = process::answer(&mut command).map_err(|failure| failure.to_string())?;
        Ok(format!("target/jupyter, JupyterLab {}", version.trim()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        environment(workspace).install(workspace)
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        environment(workspace).by_hand()
    }
}
