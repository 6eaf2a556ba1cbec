//! Reads the file piece by piece and tells the page the bytes of the other format.
//!
//! It gets one list: `export`, the file, the format's name, and whether times count from the trace's start. It tells
//! `progress` with the bytes read, `piece` with written bytes, and at the end `written`, or `failed` with code and
//! message.

use std::io::{self, Write};

use js_sys::Uint8Array;
use syclscope_engine::convert::{self, Passing, START_BYTES, Times};
use syclscope_engine::import::TraceImporter;
use syclscope_language::formats::Format;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

use crate::page::{Failure, budget, listen, not_a_trace, piece, pieces, tell, tell_end};

/// How much goes to the page at once.
const TOLD_BYTES: usize = 1 << 20;

/// Listens to the page.
pub(crate) fn start() {
    listen(|message| {
        let format = message.get(2).as_string().and_then(|name| Format::named(&name));
        if let Some(format) = format {
            let times = if message.get(3).is_truthy() { Times::FromZero } else { Times::Recorded };
            spawn_local(export(message.get(1).unchecked_into(), format, times));
        }
    });
}

async fn export(file: File, format: Format, times: Times) {
    tell_end("written", write(&file, format, times).await);
}

async fn write(file: &File, format: Format, times: Times) -> Result<(), Failure> {
    let unwritten = |error: io::Error| ("unwritten", format!("The export failed: {error}."));
    let out = Box::new(Told { piece: Vec::new() });
    let mut start = Vec::new();
    piece(file, (0.0, START_BYTES as f64), &mut start).await?;
    let is_own = convert::is_own(&start).map_err(not_a_trace)?;
    drop(start);
    if convert::is_direct(format, is_own) {
        let mut passing = Passing::new(format, times, out, budget());
        pieces(file, |piece| passing.feed(piece)).await?;
        passing.finish().map_err(not_a_trace)?.map_err(unwritten)?;
        return Ok(());
    }
    let mut importer = TraceImporter::within(budget());
    pieces(file, |piece| importer.feed(piece)).await?;
    let trace = importer.finish().map_err(not_a_trace)?;
    convert::write(&trace, format, out).map_err(unwritten)
}

/// Tells the page what is written, a piece at a time.
struct Told {
    piece: Vec<u8>,
}

impl Write for Told {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= TOLD_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.piece.is_empty() {
            tell(["piece".into(), Uint8Array::from(self.piece.as_slice()).into()]);
            self.piece.clear();
        }
        Ok(())
    }
}
