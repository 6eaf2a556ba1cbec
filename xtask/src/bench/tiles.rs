//! Memory of large traces, and latency of screens of tiles: natively and in WebAssembly.

use std::process::Command;

use super::figure::Figure;
use super::module;
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    let programs = module::native(workspace)?;
    say::begins("measuring", "tiles", "10^5, 10^6 and 10^7 slices");
    let mut figures = Figure::read_lines(&process::answer(&mut Command::new(programs.join("tiles")))?)?;
    figures.extend(Figure::read_lines(&module::timed_by(workspace, "tiles.mjs")?)?);
    Ok(figures)
}

/// The same for 10⁸ slices, which takes 12 GB of memory and minutes.
pub(crate) fn run_large(workspace: &Workspace) -> Result<Vec<Figure>> {
    let programs = module::native(workspace)?;
    say::begins("measuring", "tiles", "10^8 slices");
    let mut tiles = Command::new(programs.join("tiles"));
    Figure::read_lines(&process::answer(tiles.arg("--large"))?)
}
