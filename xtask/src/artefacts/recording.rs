//! Recordings of the demo program, recorded with the real binary on the real runtime.

use super::examples;
use super::program::Profile;
use crate::fingerprint::{self, Fingerprint};
use crate::prelude::*;
use crate::setup::pypi::Environment;
use crate::setup::sycl;

/// A format's name, and the extension of its files.
pub(crate) type Format = (&'static str, &'static str);
pub(crate) const PERFETTO: Format = ("perfetto", "pftrace");
pub(crate) const JSON: Format = ("json", "json");

#[derive(Clone, Copy)]
pub(crate) enum Subject {
    Heat,
    Eigenvalue,
}

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Subject::Heat => "heat",
            Subject::Eigenvalue => "eigenvalue",
        }
    }

    fn parts(self, workspace: &Workspace) -> (Environment, Vec<PathBuf>) {
        match self {
            Subject::Heat => (sycl::runtime(workspace), vec![examples::folder(workspace).join("heat")]),
            Subject::Eigenvalue => {
                let environment = sycl::python(workspace);
                let script = workspace.root.join("examples/python/eigenvalue.py");
                let line = vec![environment.bin("python"), script];
                (environment, line)
            }
        }
    }
}

pub(crate) struct Recording {
    pub(crate) profile: Profile,
    pub(crate) subject: Subject,
    pub(crate) format: Format,
}

impl Recording {
    pub(crate) fn of_demo(subject: Subject) -> Self {
        Self { profile: Profile::Demo, subject, format: PERFETTO }
    }

    pub(crate) fn file(&self, workspace: &Workspace) -> PathBuf {
        workspace.target.join("demo").join(format!("{}.{}", self.subject.name(), self.format.1))
    }

    /// Returns the `syclscope record` call for this recording, which replaces an older one.
    pub(crate) fn command(&self, workspace: &Workspace) -> Result<Command> {
        let output = self.file(workspace);
        files::create(output.parent().unwrap_or(&output))?;
        let (environment, line) = self.subject.parts(workspace);
        let mut command = Command::new(self.profile.program(workspace));
        command.args(["record", "--force", "--format", self.format.0, "-o"]).arg(&output).arg("--");
        command.args(line).envs(environment.variables());
        Ok(command)
    }

    /// True if it exists and its inputs have not changed since the call of `note`.
    pub(crate) fn is_current(&self, workspace: &Workspace) -> Result<bool> {
        Ok(fingerprint::is_current(&self.stamp(workspace), &self.inputs(workspace)?, &self.file(workspace)))
    }

    pub(crate) fn note(&self, workspace: &Workspace) -> Result<()> {
        let inputs = self.inputs(workspace)?;
        fingerprint::write_artefact_stamp(&self.stamp(workspace), &inputs, &self.file(workspace))
    }

    /// Records without output. The program checks its own result, so a wrong one also fails here.
    pub(crate) fn make(&self, workspace: &Workspace) -> Result<PathBuf> {
        let name = format!("record-{}-{}", self.subject.name(), self.format.0);
        workspace.run(&name, &mut self.command(workspace)?)?;
        let output = self.file(workspace);
        if !output.metadata().is_ok_and(|data| data.len() > 0) {
            let text = format!("{} is empty or not there", output.display());
            return Err(Failure::new(text).with_log(workspace.log(&name)));
        }
        self.note(workspace)?;
        Ok(output)
    }

    fn stamp(&self, workspace: &Workspace) -> PathBuf {
        workspace.stamp(&format!("recording-{}-{}", self.subject.name(), self.format.0))
    }

    /// Returns the fingerprint of the recorder, the recorded program, and the runtime.
    fn inputs(&self, workspace: &Workspace) -> Result<String> {
        let program = fingerprint::identity(&self.profile.program(workspace)).unwrap_or_default();
        let (environment, line) = self.subject.parts(workspace);
        let installed = std::fs::read_link(&environment.link).unwrap_or(environment.link);
        let mut inputs = Fingerprint::new();
        inputs.text(&program).trees(&line)?.text(&installed.display().to_string());
        Ok(inputs.finish())
    }
}
