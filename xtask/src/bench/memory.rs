//! Latency of queries about the memory of a million allocations: natively and in WebAssembly.

use std::process::Command;

use super::figure::Figure;
use super::module;
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    let programs = module::native(workspace)?;
    say::begins("measuring", "memory", "10^6 allocations");
    let mut figures = Figure::read_lines(&process::answer(&mut Command::new(programs.join("memory")))?)?;
    figures.extend(Figure::read_lines(&module::timed_by(workspace, "memory.mjs")?)?);
    Ok(figures)
}
