//! What drawings of task graphs cost: natively and in WebAssembly.

use std::process::Command;

use super::figure::Figure;
use super::module;
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    let programs = module::native(workspace)?;
    say::begins("measuring", "graph", "1,000, 10,000 and 50,000 nodes");
    let mut figures = Figure::read_lines(&process::answer(&mut Command::new(programs.join("graph")))?)?;
    figures.extend(Figure::read_lines(&module::timed_by(workspace, "graph.mjs")?)?);
    Ok(figures)
}
