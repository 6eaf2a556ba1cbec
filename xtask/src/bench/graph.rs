//! Cost of task graph drawings: natively, in WebAssembly, and on a page in Chromium.

use std::process::Command;

use super::figure::Figure;
use super::module;
use crate::artefacts::program::Profile;
use crate::artefacts::{page, program};
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::setup::{self, Scope};
use crate::test::end_to_end;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    let programs = module::native(workspace)?;
    say::begins("measuring", "graph", "1,000, 10,000 and 50,000 nodes");
    let mut figures = Figure::read_lines(&process::answer(&mut Command::new(programs.join("graph")))?)?;
    figures.extend(Figure::read_lines(&module::timed_by(workspace, "graph.mjs")?)?);
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    page::build_for_tests(workspace)?;
    say::begins("measuring", "graph", "50,000 nodes in Chromium");
    let mut command = Command::new("node");
    command.arg("bench/graph_page.mjs");
    end_to_end::prepare(workspace, Profile::Release, &mut command)?;
    figures.extend(Figure::read_lines(&process::answer(&mut command)?)?);
    Ok(figures)
}
