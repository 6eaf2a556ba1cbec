//! Time and memory of comparing two runs.

use std::process::Command;

use super::figure::Figure;
use super::module;
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    let programs = module::native(workspace)?;
    say::begins("measuring", "compare", "two runs of 10^4, 10^5 and 10^6 commands");
    Figure::read_lines(&process::answer(&mut Command::new(programs.join("compare")))?)
}
