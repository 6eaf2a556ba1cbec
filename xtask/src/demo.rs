//! `cargo xtask demo`: a real SYCL program, recorded and opened.

use std::process::Command;
use std::time::Duration;

use crate::artefacts::recording::{self, Format, Subject};
use crate::artefacts::{examples, page, program};
use crate::failure::{Failure, Result};
use crate::process;
use crate::say;
use crate::setup::{self, Scope};
use crate::workspace::Workspace;

/// What the user asked for.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Print the address and open nothing.
    pub(crate) no_browser: bool,
    /// The port to ask for.
    pub(crate) port: Option<u16>,
    /// Record the Python example, not the C++ one.
    pub(crate) python: bool,
}

/// Sets up, builds, records, and shows the timeline until it is interrupted. What is current is not made again.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let subject = if options.python { Subject::Eigenvalue } else { Subject::Heat };
    process::side_by_side(|| set_up_page(workspace), || set_up_runtime(workspace, options.python))?;
    let program = program::build_lean(workspace)?;
    if recording::is_current(workspace, subject, Format::Perfetto)? {
        let file = recording::file(workspace, subject, Format::Perfetto);
        say::step("current", "recording", &file.display().to_string(), Duration::ZERO);
    } else {
        record(workspace, subject)?;
    }

    let mut open = Command::new(program);
    open.arg("open").arg(recording::file(workspace, subject, Format::Perfetto));
    if options.no_browser {
        open.arg("--no-browser");
    }
    if let Some(port) = options.port {
        open.args(["--port", &port.to_string()]);
    }
    say::heading(&format!("\n$ {}\n", process::described(&open)));
    let status = process::shown(&mut open)?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("syclscope open ended with {status}"))) }
}

/// What builds a page is not looked for where the page is current.
fn set_up_page(workspace: &Workspace) -> Result<()> {
    if page::is_current(workspace)? {
        return Ok(());
    }
    setup::run(workspace, Scope::Page)?;
    page::build(workspace).map(|_| ())
}

/// The runtime and the example, and what of the program needs no page: one of two cores is often idle while the page is
/// linked.
fn set_up_runtime(workspace: &Workspace, python: bool) -> Result<()> {
    setup::run(workspace, Scope::Runtime { python })?;
    if !python {
        examples::build_one(workspace, "heat")?;
    }
    program::build_subscriber(workspace)?;
    program::build_ahead(workspace)
}

fn record(workspace: &Workspace, subject: Subject) -> Result<()> {
    let mut record = recording::command(workspace, subject, Format::Perfetto)?;
    say::heading(&format!("\n$ {}\n", process::described(&record)));
    let status = process::shown(&mut record)?;
    if !status.success() {
        return Err(Failure::new(format!("the example ended with {status}")).with_remedy(
            "the lines above say why; nothing is opened, since the recording would be of a failure",
        ));
    }
    recording::note(workspace, subject, Format::Perfetto)
}
