//! Cost of a large hosted trace after a restart of its server, through HTTP.

use std::process::Command;

use super::figure::Figure;
use super::module;
use crate::artefacts::program;
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::setup::{self, Scope};
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::run(workspace, Scope::Page)?;
    let program = program::build(workspace)?;
    let programs = module::native(workspace)?;
    say::begins("measuring", "served", "10^7 slices, uploaded and hosted");
    Figure::read_lines(&process::answer(Command::new(programs.join("served")).arg(program))?)
}
