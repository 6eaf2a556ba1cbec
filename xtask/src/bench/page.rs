//! What the page costs: bytes on the way, the first picture of a hosted trace and frames while it moves, whatever the
//! trace's size, and a large file of this computer.

use std::path::PathBuf;
use std::process::Command;

use super::figure::Figure;
use super::module;
use crate::artefacts::{page, program, testing_page};
use crate::failure::{AtPath, Result};
use crate::process;
use crate::say;
use crate::setup::{self, Scope};
use crate::test::end_to_end;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    testing_page::build(workspace)?;
    let files = page::Files::of(workspace)?;
    let mut figures = Vec::new();
    for (name, files) in [("page", &files.first_load), ("engine for local files", &files.engine)] {
        let (raw_bytes, brotli_bytes) = page::raw_and_brotli_bytes(files)?;
        let figure = Figure::new(format!("{name}, with brotli"), brotli_bytes as f64, "bytes");
        figures.push(figure.with_baseline(raw_bytes as f64).with_goal(600e3));
    }
    let recordings = module::native(workspace)?.join("recordings");
    let folder = Scratch::new(workspace)?;
    say::begins("writing", "recordings", "of 10^5 and 10^7 slices, and of 200 MB");
    figures.extend(Figure::read_lines(&process::answer(Command::new(recordings).arg(&folder.0))?)?);
    say::begins("measuring", "page", "in Chromium");
    let mut command = Command::new("node");
    command.arg("bench/page.mjs").arg(&folder.0);
    end_to_end::prepare(workspace, &mut command)?;
    figures.extend(Figure::read_lines(&process::answer(&mut command)?)?);
    Ok(figures)
}

/// A folder for the recordings, a gigabyte, which goes with this.
struct Scratch(PathBuf);

impl Scratch {
    fn new(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target.join("xtask/bench-page");
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing but room is lost if it stays.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
