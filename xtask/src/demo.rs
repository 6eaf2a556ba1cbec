//! `cargo xtask demo`: a real SYCL program, recorded and opened.

use std::time::Duration;

use crate::artefacts::examples;
use crate::artefacts::program::{self, Profile};
use crate::artefacts::recording::{Recording, Subject};
use crate::prelude::*;
use crate::setup::{self, Scope};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    pub(crate) no_browser: bool,
    pub(crate) port: Option<u16>,
    /// Record the Python example, not the C++ one.
    pub(crate) python: bool,
}

/// Sets up, builds, records, and shows the timeline until interrupted. Current artefacts are reused.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let subject = if options.python { Subject::Eigenvalue } else { Subject::Heat };
    let recording = Recording { profile: profile(workspace)?, ..Recording::of_demo(subject) };
    // Downloads and compilers wait for different resources.
    process::side_by_side(
        || set_up_runtime(workspace, options.python),
        || {
            let set_up = || setup::run(workspace, Scope::DemoPage);
            program::build_beside(workspace, recording.profile, set_up)
        },
    )?;
    if recording.is_current(workspace)? {
        say::step("current", "recording", &recording.file(workspace).display().to_string(), Duration::ZERO);
    } else {
        record(workspace, &recording)?;
    }

    let program = recording.profile.program(workspace);
    if recording.profile == Profile::Demo {
        println!(
            "\n{} is the whole program, not optimised. Its page leaves out what opens and writes files of the browser's computer.\n\
             `cargo xtask build` makes target/release/syclscope, which has and does all, fast.",
            program.display()
        );
    }
    let mut open = open(&program, &recording.file(workspace), options.no_browser, options.port);
    say::heading(&format!("\n$ {}\n", process::described(&open)));
    process::run(&mut open)
}

pub(crate) fn open(program: &Path, trace: &Path, no_browser: bool, port: Option<u16>) -> Command {
    let mut open = Command::new(program);
    open.arg("open").arg(trace).args(no_browser.then_some("--no-browser"));
    open.args(port.map(|port| format!("--port={port}")));
    open
}

/// Returns the optimised program, if `cargo xtask build` has built it from the current sources.
fn profile(workspace: &Workspace) -> Result<Profile> {
    let is_built = program::is_current(workspace, Profile::Release)?;
    Ok(if is_built { Profile::Release } else { Profile::Demo })
}

fn set_up_runtime(workspace: &Workspace, python: bool) -> Result<()> {
    setup::run(workspace, Scope::Runtime { python })?;
    if !python {
        examples::build_one(workspace, "heat")?;
    }
    Ok(())
}

fn record(workspace: &Workspace, recording: &Recording) -> Result<()> {
    let mut record = recording.command(workspace)?;
    say::heading(&format!("\n$ {}\n", process::described(&record)));
    process::run(&mut record).map_err(|failure| {
        failure.with_remedy("see the lines above; nothing was opened, because the recording is of a failure")
    })?;
    recording.note(workspace)
}
