//! Code shared by this worker and the exporter, which includes this file: messages to the page, and piecewise reading
//! of a local file.

use std::arch::wasm32::memory_size;

use js_sys::{Array, Uint8Array};
use syclscope_engine::budget::Budget;
use syclscope_engine::import::ImportError;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

const PIECE_BYTES: f64 = 4_194_304.0;

/// Memory limit of this module in bytes. It can address 4 GiB; a growing list must fit next to its old copy.
const MAX_BYTES: u64 = 5 << 29;
const PAGE_BYTES: u64 = 64 << 10;

pub(crate) type Failure = (&'static str, String);

/// Listens to the page for the life of the worker; calls `hear` with each message, a list.
pub(crate) fn listen(hear: impl Fn(Array) + 'static) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        hear(event.data().unchecked_into())
    });
    scope().set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

pub(crate) fn tell(words: impl IntoIterator<Item = JsValue>) {
    let message: Array = words.into_iter().collect();
    // Numbers, texts and bytes can always be sent.
    let _ = scope().post_message(&message);
}

/// Sends the page the result of a request: a word, or `failed` with code and message.
pub(crate) fn tell_end(word: &str, end: Result<(), Failure>) {
    match end {
        Ok(()) => tell([word.into()]),
        Err((code, message)) => tell(["failed".into(), code.into(), message.into()]),
    }
}

/// Passes the file's bytes to `take`, and sends the page `progress` with the number read.
pub(crate) async fn pieces(
    file: &File,
    mut take: impl FnMut(&[u8]) -> Result<(), ImportError>,
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let (size, mut read) = (file.size(), 0.0);
    while read < size {
        let next = (read + PIECE_BYTES).min(size);
        piece(file, (read, next), &mut bytes).await?;
        take(&bytes).map_err(not_a_trace)?;
        read = next;
        tell(["progress".into(), read.into()]);
    }
    Ok(())
}

pub(crate) async fn piece(file: &File, (from, to): (f64, f64), bytes: &mut Vec<u8>) -> Result<(), Failure> {
    let unreadable = |_| {
        ("unreadable", "The browser could not read the file; it may have changed or been deleted.".to_owned())
    };
    let blob = file.slice_with_f64_and_f64(from, to.min(file.size())).map_err(unreadable)?;
    let read = Uint8Array::new(&JsFuture::from(blob.array_buffer()).await.map_err(unreadable)?);
    bytes.resize(read.length() as usize, 0);
    read.copy_to(bytes);
    Ok(())
}

pub(crate) fn budget() -> Budget {
    Budget::new(MAX_BYTES.saturating_sub(memory_bytes()), memory_bytes)
}

fn memory_bytes() -> u64 {
    memory_size::<0>() as u64 * PAGE_BYTES
}

pub(crate) fn not_a_trace(error: ImportError) -> Failure {
    ("not_a_trace", sentence(&error))
}

pub(crate) fn sentence(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
