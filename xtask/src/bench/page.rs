//! What the page costs: bytes on the way, the first picture of the demo's trace, frames while it moves.

use std::process::Command;

use super::figure::Figure;
use crate::artefacts::page;
use crate::artefacts::recording::{self, Format, Subject};
use crate::artefacts::{examples, program};
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::setup::{self, Scope};
use crate::test::end_to_end;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    examples::build(workspace)?;
    recording::make(workspace, Subject::Heat, Format::Perfetto)?;
    let files = page::Files::of(workspace)?;
    let mut figures = Vec::new();
    for (name, files) in [("page", &files.first_load), ("engine for local files", &files.engine)] {
        let (raw_bytes, brotli_bytes) = page::raw_and_brotli_bytes(files)?;
        let figure = Figure::new(format!("{name}, with brotli"), brotli_bytes as f64, "bytes");
        figures.push(figure.with_baseline(raw_bytes as f64).with_goal(600e3));
    }
    say::begins("measuring", "page", "in Chromium");
    let mut command = Command::new("node");
    command.arg("bench/page.mjs");
    end_to_end::prepare(workspace, &mut command)?;
    figures.extend(Figure::read_lines(&process::answer(&mut command)?)?);
    Ok(figures)
}
