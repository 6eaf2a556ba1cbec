//! Reads the file piece by piece and tells the page the bytes of the other format.
//!
//! It gets one list: `export`, the file, the format's name, and whether times count from the trace's start. It tells
//! `progress` with the bytes read, `piece` with written bytes, and at the end `written`, or `failed` with code and
//! message.

use std::io::{self, Write};

use js_sys::{Array, Uint8Array};
use syclscope_engine::convert::{self, Passing, START_BYTES, Times};
use syclscope_engine::import::{ImportError, TraceImporter};
use syclscope_language::formats::Format;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// How much of the file is read at once.
const READ_BYTES: f64 = 4_194_304.0;
/// How much goes to the page at once.
const TOLD_BYTES: usize = 1 << 20;

type Failure = (&'static str, String);

/// Listens to the page.
pub(crate) fn start() {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let message: Array = event.data().unchecked_into();
        let format = message.get(2).as_string().and_then(|name| Format::named(&name));
        if let Some(format) = format {
            let times = if message.get(3).is_truthy() { Times::FromZero } else { Times::Recorded };
            spawn_local(export(message.get(1).unchecked_into(), format, times));
        }
    });
    // The worker listens as long as it lives.
    scope().set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn tell(words: impl IntoIterator<Item = JsValue>) {
    let message: Array = words.into_iter().collect();
    // Numbers, texts and bytes can always be sent.
    let _ = scope().post_message(&message);
}

async fn export(file: File, format: Format, times: Times) {
    match write(&file, format, times).await {
        Ok(()) => tell(["written".into()]),
        Err((code, message)) => tell(["failed".into(), code.into(), message.into()]),
    }
}

async fn write(file: &File, format: Format, times: Times) -> Result<(), Failure> {
    let not_a_trace = |error: ImportError| ("not_a_trace", format!("The file can't be read: {error}."));
    let unwritten = |error: io::Error| ("unwritten", format!("The export failed: {error}."));
    let out = Box::new(Told { piece: Vec::new() });
    let start = piece(file, 0.0, START_BYTES as f64).await?;
    let is_own = convert::is_own(&start).map_err(not_a_trace)?;
    drop(start);
    if convert::is_direct(format, is_own) {
        let mut passing = Passing::new(format, times, out);
        pieces(file, |piece| passing.feed(piece).map_err(not_a_trace)).await?;
        passing.finish().map_err(not_a_trace)?.map_err(unwritten)?;
        return Ok(());
    }
    let mut importer = TraceImporter::new();
    pieces(file, |piece| importer.feed(piece).map_err(not_a_trace)).await?;
    let trace = importer.finish().map_err(not_a_trace)?;
    convert::write(&trace, format, out).map_err(unwritten)
}

/// Hands the file's bytes over, and tells the page how far it is.
async fn pieces(file: &File, mut take: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let (size, mut read) = (file.size(), 0.0);
    while read < size {
        take(&piece(file, read, READ_BYTES).await?)?;
        read = (read + READ_BYTES).min(size);
        tell(["progress".into(), read.into()]);
    }
    Ok(())
}

/// So many bytes of the file, or those that are left.
async fn piece(file: &File, from: f64, bytes: f64) -> Result<Vec<u8>, Failure> {
    let unreadable =
        |_| ("unreadable", "The browser could not read the file; it may have changed or gone.".to_owned());
    let to = (from + bytes).min(file.size());
    let blob = file.slice_with_f64_and_f64(from, to).map_err(unreadable)?;
    let buffer = JsFuture::from(blob.array_buffer()).await.map_err(unreadable)?;
    Ok(Uint8Array::new(&buffer).to_vec())
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
