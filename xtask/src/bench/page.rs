//! Cost of the page: transferred bytes, the first picture of a hosted trace, frames during movements at any trace size,
//! and a large local file.

use std::process::Command;

use super::figure::Figure;
use super::module;
use super::scratch::Scratch;
use crate::artefacts::program::Profile;
use crate::artefacts::{page, program};
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::setup::{self, Scope};
use crate::test::end_to_end;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    page::build_for_tests(workspace)?;
    let files = page::Files::of(&page::folder(workspace))?;
    let mut figures = Vec::new();
    for (name, files) in [
        ("page", &files.first_load),
        ("views loaded later", &files.views),
        ("engine for local files", &files.engine),
    ] {
        let (raw_bytes, brotli_bytes) = page::raw_and_brotli_bytes(files)?;
        let figure = Figure::new(format!("{name}, with brotli"), brotli_bytes as f64, "bytes");
        figures.push(figure.with_baseline(raw_bytes as f64).with_goal(600e3));
    }
    let recordings = module::native(workspace)?.join("recordings");
    let folder = Scratch::new(workspace, "bench-page")?;
    say::begins("writing", "recordings", "of 10^5 and 10^7 slices, and of 200 MB");
    figures.extend(Figure::read_lines(&process::answer(Command::new(recordings).arg(folder.path()))?)?);
    say::begins("measuring", "page", "in Chromium");
    let mut command = Command::new("node");
    command.arg("bench/page.mjs").arg(folder.path());
    end_to_end::prepare(workspace, Profile::Release, &mut command)?;
    figures.extend(Figure::read_lines(&process::answer(&mut command)?)?);
    Ok(figures)
}
