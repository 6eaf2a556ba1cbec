//! Recordings of the demo program, made with the real binary on the real runtime.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::{examples, program};
use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::setup::sycl;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(300);

/// The two files that `record` writes.
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
    /// The C++ example.
    Heat,
    /// The Python example.
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

    /// The program and its arguments.
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

/// Where a recording is kept.
pub(crate) fn file(workspace: &Workspace, subject: Subject, format: Format) -> PathBuf {
    workspace.target.join("demo").join(format!("{}.{}", subject.name(), format.extension()))
}

/// The `syclscope record` call that makes it; an older one is replaced.
pub(crate) fn command(workspace: &Workspace, subject: Subject, format: Format) -> Result<Command> {
    let output = file(workspace, subject, format);
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder).at("create", folder)?;
    }
    let mut command = Command::new(program::file(workspace));
    command.args(["record", "--force", "--format", format.name(), "-o"]).arg(&output).arg("--");
    command.args(subject.command_line(workspace)).envs(subject.environment(workspace).variables());
    Ok(command)
}

/// Whether the recording is there, and nothing that goes into it has changed since `note` was called.
pub(crate) fn is_current(workspace: &Workspace, subject: Subject, format: Format) -> Result<bool> {
    let output = file(workspace, subject, format);
    Ok(fingerprint::is_made_from(&stamp(workspace, subject, format), &inputs(workspace, subject)?, &output))
}

/// Notes what the recording was made from.
pub(crate) fn note(workspace: &Workspace, subject: Subject, format: Format) -> Result<()> {
    let output = file(workspace, subject, format);
    fingerprint::write_made_from(&stamp(workspace, subject, format), &inputs(workspace, subject)?, &output)
}

fn stamp(workspace: &Workspace, subject: Subject, format: Format) -> PathBuf {
    workspace.stamp(&format!("recording-{}-{}", subject.name(), format.name()))
}

/// A fingerprint of the recorder, of what it records, and of the runtime.
fn inputs(workspace: &Workspace, subject: Subject) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.text(&fingerprint::identity(&program::file(workspace)).unwrap_or_default());
    fingerprint.trees(&subject.command_line(workspace))?;
    let runtime = subject.environment(workspace).link;
    let installed = std::fs::read_link(&runtime).unwrap_or(runtime);
    Ok(fingerprint.text(&installed.display().to_string()).finish())
}

/// Makes a recording quietly. The program checks its own result: a wrong one fails here too.
pub(crate) fn make(workspace: &Workspace, subject: Subject, format: Format) -> Result<PathBuf> {
    let mut command = command(workspace, subject, format)?;
    let log = workspace.log(&format!("record-{}-{}", subject.name(), format.name()));
    process::logged(&mut command, &log, LIMIT)?;
    let output = file(workspace, subject, format);
    match output.metadata() {
        Ok(data) if data.len() > 0 => {
            note(workspace, subject, format)?;
            Ok(output)
        }
        _ => Err(Failure::new(format!("{} is empty or not there", output.display())).with_log(log)),
    }
}
