//! Export of a local file: reads it in chunks and sends the page the bytes of the other format.
//!
//! The page sends one list:
//! - `export` with the file, the format's name, and true if times count from the trace's start;
//! - or `clean` with the file, the kinds to remove separated by commas, and true if file names stay.
//!
//! The worker sends `progress` with the number of bytes read, `piece` with written bytes, and at the end `written`, or
//! `failed` with code and message.

use std::io::{self, Write};

use js_sys::Uint8Array;
use syclscope_engine::clean::{self, Choice, CleanError, Cleaning, Key, Look};
use syclscope_engine::convert::{self, Passing, START_BYTES, Times};
use syclscope_engine::import::TraceImporter;
use syclscope_language::contents::ContentKind;
use syclscope_language::formats::Format;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, File};

use crate::page::{Failure, budget, listen, not_a_trace, piece, pieces, tell, tell_end};

/// Buffered bytes at which a message is sent to the page.
const PIECE_BYTES: usize = 1 << 20;

const KEY_BYTES: usize = 32;

pub(crate) fn start() {
    listen(|message| {
        if message.get(0).as_string().as_deref() == Some("clean") {
            let kinds = message.get(2).as_string().unwrap_or_default();
            let choice = Choice::new(kinds.split(',').filter_map(ContentKind::from_word));
            let choice = if message.get(3).is_truthy() { choice.keeping_file_names() } else { choice };
            spawn_local(export_cleaned(message.get(1).unchecked_into(), choice));
            return;
        }
        let format = message.get(2).as_string().and_then(|name| Format::from_word(&name));
        if let Some(format) = format {
            let times = if message.get(3).is_truthy() { Times::FromZero } else { Times::Recorded };
            spawn_local(export(message.get(1).unchecked_into(), format, times));
        }
    });
}

async fn export(file: File, format: Format, times: Times) {
    tell_end("written", write(&file, format, times).await);
}

async fn export_cleaned(file: File, choice: Choice) {
    tell_end("written", write_cleaned(&file, choice).await);
}

async fn write_cleaned(file: &File, choice: Choice) -> Result<(), Failure> {
    let not_clean = |error: CleanError| ("not_clean", format!("Could not write the cleaned copy: {error}."));
    let mut bytes = [0; KEY_BYTES];
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let filled = scope.crypto().and_then(|crypto| crypto.get_random_values_with_u8_array(&mut bytes));
    let without_random = "Could not write the cleaned copy: this browser provides no random numbers. Use another \
                          browser, or `syclscope clean`.";
    filled.map_err(|_| ("not_clean", without_random.to_owned()))?;
    let key = Key::new(bytes);
    let out = Box::new(PieceWriter { piece: Vec::new() });
    if is_own(file).await? {
        let budget = budget();
        let mut look = Look::new(budget.clone());
        pieces(file, |piece| look.feed(piece)).await?;
        let plan = look.finish(choice, key).map_err(not_a_trace)?.map_err(not_clean)?;
        let mut cleaning = Cleaning::new(&plan, Format::Perfetto, out, budget);
        pieces(file, |piece| cleaning.feed(piece)).await?;
        cleaning.finish().map_err(not_a_trace)?.map_err(not_clean)?;
        return Ok(());
    }
    let mut importer = TraceImporter::within(budget());
    pieces(file, |piece| importer.feed(piece)).await?;
    let trace = importer.finish().map_err(not_a_trace)?;
    clean::write(&trace, choice, key, Format::Perfetto, out, &budget()).map(drop).map_err(not_clean)
}

async fn is_own(file: &File) -> Result<bool, Failure> {
    let mut start = Vec::new();
    piece(file, (0.0, START_BYTES as f64), &mut start).await?;
    convert::is_own(&start).map_err(not_a_trace)
}

async fn write(file: &File, format: Format, times: Times) -> Result<(), Failure> {
    let unwritten = |error: io::Error| ("unwritten", format!("The export failed: {error}."));
    let out = Box::new(PieceWriter { piece: Vec::new() });
    if convert::is_direct(format, is_own(file).await?) {
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

struct PieceWriter {
    piece: Vec<u8>,
}

impl Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
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
