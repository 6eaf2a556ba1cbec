//! Recordings of the demo program, made with the real binary on the real runtime.

use std::path::PathBuf;
use std::process::Command;

use super::examples;
use super::program::Profile;
use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::setup::sycl;
use crate::workspace::Workspace;

#[derive(Clone, Copy)]
pub(crate) enum Format {
    Perfetto,
    Json,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Format::Perfetto => "perfetto",
            Format::Json => "json",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Format::Perfetto => "pftrace",
            Format::Json => "json",
        }
    }
}

/// A program that is recorded for the demo and the tests.
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

    fn environment(self, workspace: &Workspace) -> sycl::Environment {
        match self {
            Subject::Heat => sycl::runtime(workspace),
            Subject::Eigenvalue => sycl::python(workspace),
        }
    }

    fn command_line(self, workspace: &Workspace) -> Vec<PathBuf> {
        match self {
            Subject::Heat => vec![examples::folder(workspace).join("heat")],
            Subject::Eigenvalue => {
                let script = workspace.root.join("examples/python/eigenvalue.py");
                vec![sycl::python(workspace).python(), script]
            }
        }
    }
}

/// A recording of a program, made by the binary of a profile.
pub(crate) struct Recording {
    pub(crate) profile: Profile,
    pub(crate) subject: Subject,
    pub(crate) format: Format,
}

impl Recording {
    /// The recording of `cargo xtask demo`.
    pub(crate) fn of_demo(subject: Subject) -> Self {
        Self { profile: Profile::Demo, subject, format: Format::Perfetto }
    }

    pub(crate) fn file(&self, workspace: &Workspace) -> PathBuf {
        workspace.target.join("demo").join(format!("{}.{}", self.subject.name(), self.format.extension()))
    }

    /// The `syclscope record` call for it; an older recording is replaced.
    pub(crate) fn command(&self, workspace: &Workspace) -> Result<Command> {
        let output = self.file(workspace);
        if let Some(folder) = output.parent() {
            std::fs::create_dir_all(folder).at("create", folder)?;
        }
        let mut command = Command::new(self.profile.program(workspace));
        command.args(["record", "--force", "--format", self.format.name(), "-o"]).arg(&output).arg("--");
        command.args(self.subject.command_line(workspace));
        command.envs(self.subject.environment(workspace).variables());
        Ok(command)
    }

    /// True if it exists and its inputs have not changed since the call of `note`.
    pub(crate) fn is_current(&self, workspace: &Workspace) -> Result<bool> {
        Ok(fingerprint::is_made_from(&self.stamp(workspace), &self.inputs(workspace)?, &self.file(workspace)))
    }

    pub(crate) fn note(&self, workspace: &Workspace) -> Result<()> {
        let inputs = self.inputs(workspace)?;
        fingerprint::write_made_from(&self.stamp(workspace), &inputs, &self.file(workspace))
    }

    /// Records without output. The program checks its own result, so a wrong one also fails here.
    pub(crate) fn make(&self, workspace: &Workspace) -> Result<PathBuf> {
        let log = workspace.log(&format!("record-{}-{}", self.subject.name(), self.format.name()));
        process::logged(&mut self.command(workspace)?, &log, process::PATIENCE)?;
        let output = self.file(workspace);
        match output.metadata() {
            Ok(data) if data.len() > 0 => {
                self.note(workspace)?;
                Ok(output)
            }
            _ => Err(Failure::new(format!("{} is empty or not there", output.display())).with_log(log)),
        }
    }

    fn stamp(&self, workspace: &Workspace) -> PathBuf {
        workspace.stamp(&format!("recording-{}-{}", self.subject.name(), self.format.name()))
    }

    /// Fingerprint of the recorder, the recorded program, and the runtime.
    fn inputs(&self, workspace: &Workspace) -> Result<String> {
        let mut fingerprint = Fingerprint::new();
        let program = self.profile.program(workspace);
        fingerprint.text(&fingerprint::identity(&program).unwrap_or_default());
        fingerprint.trees(&self.subject.command_line(workspace))?;
        let runtime = self.subject.environment(workspace).link;
        let installed = std::fs::read_link(&runtime).unwrap_or(runtime);
        Ok(fingerprint.text(&installed.display().to_string()).finish())
    }
}
