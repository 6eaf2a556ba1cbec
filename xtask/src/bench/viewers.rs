//! Latency for many viewers of one large trace: two server instances behind nginx, all on this machine.

use std::process::Command;

use super::figure::Figure;
use super::module;
use super::scratch::Scratch;
use crate::artefacts::program::{self, Profile};
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::setup::{self, Scope};
use crate::test::end_to_end;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    let programs = module::native(workspace)?;
    let folder = Scratch::new(workspace, "bench-viewers")?;
    say::begins("writing", "recordings", "of 10^5 and 10^7 slices, and of 200 MB");
    process::answer(Command::new(programs.join("recordings")).arg(folder.path()))?;
    say::begins("measuring", "viewers", "100 and 1,000, for a minute each");
    let mut command = Command::new("node");
    command.arg("bench/viewers.mjs").arg(programs.join("viewers")).arg(folder.path().join("large.pftrace"));
    end_to_end::prepare(workspace, Profile::Release, &mut command)?;
    Figure::read_lines(&process::answer(&mut command)?)
}
