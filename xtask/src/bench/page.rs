//! What the page costs: bytes on the way, the first picture of the demo's trace, frames while it moves.

use std::process::Command;

use super::figure::Figure;
use crate::artefacts::page::{self, Compression};
use crate::artefacts::recording::{self, Format, Subject};
use crate::artefacts::{examples, program};
use crate::failure::{AtPath, Result};
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
    let wasm = page::wasm_file(workspace)?;
    let raw = wasm.metadata().at("read", &wasm)?.len() as f64;
    let gzip = page::compressed_bytes(&wasm, Compression::Gzip)? as f64;
    let brotli = page::compressed_bytes(&wasm, Compression::Brotli)? as f64;
    let mut figures = vec![
        Figure::new("wasm, raw", raw, "bytes"),
        Figure::new("wasm, gzip", gzip, "bytes").with_baseline(raw),
        Figure::new("wasm, brotli", brotli, "bytes").with_baseline(raw).with_goal(1e6),
    ];
    say::begins("measuring", "page", "in Chromium");
    let mut command = Command::new("node");
    command.arg("bench/page.mjs");
    end_to_end::prepare(workspace, &mut command)?;
    figures.extend(Figure::read_lines(&process::answer(&mut command)?)?);
    Ok(figures)
}
