//! Imports the file piece by piece, then answers.

use std::cell::RefCell;

use js_sys::{Array, Uint8Array};
use syclscope_engine::import::TraceImporter;
use syclscope_engine::store::Trace;
use syclscope_language::question::Question;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// How much of a file is read at once.
const PIECE_BYTES: f64 = 4_194_304.0;

thread_local! {
    static TRACE: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// Listens to the page.
pub(crate) fn start() {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let message: Array = event.data().unchecked_into();
        match message.get(0).as_string().as_deref() {
            Some("open") => spawn_local(open(message.get(1).unchecked_into())),
            Some("ask") => answer(&message.get(1), &message.get(2).as_string().unwrap_or_default()),
            _ => {}
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
    // Numbers and texts can always be sent.
    let _ = scope().post_message(&message);
}

async fn open(file: File) {
    match import(&file).await {
        Ok(trace) => {
            TRACE.set(Some(trace));
            tell(["opened".into()]);
        }
        Err((code, message)) => tell(["failed".into(), code.into(), message.into()]),
    }
}

async fn import(file: &File) -> Result<Trace, (&'static str, String)> {
    let unreadable =
        |_| ("unreadable", "The browser could not read the file; it may have changed or gone.".to_owned());
    let not_a_trace = |error: syclscope_engine::import::ImportError| ("not_a_trace", sentence(&error));
    let mut importer = TraceImporter::new();
    let mut piece = Vec::new();
    let (size, mut read) = (file.size(), 0.0);
    while read < size {
        let next = (read + PIECE_BYTES).min(size);
        let blob = file.slice_with_f64_and_f64(read, next).map_err(unreadable)?;
        let bytes = Uint8Array::new(&JsFuture::from(blob.array_buffer()).await.map_err(unreadable)?);
        piece.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut piece);
        importer.feed(&piece).map_err(not_a_trace)?;
        read = next;
        tell(["progress".into(), read.into()]);
    }
    drop(piece);
    importer.finish().map_err(not_a_trace)
}

/// An error as a sentence of its own.
fn sentence(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn answer(number: &JsValue, question: &str) {
    let refuse = |code: &str, message: String| {
        tell(["refused".into(), number.clone(), code.into(), message.into()]);
    };
    let question: Question = match question.parse() {
        Ok(question) => question,
        Err(error) => return refuse("bad_question", sentence(&error)),
    };
    TRACE.with_borrow(|trace| match trace.as_ref().map(|trace| trace.answer(&question)) {
        Some(Ok(json)) => tell(["answer".into(), number.clone(), json.into()]),
        Some(Err(error)) => refuse("not_found", sentence(&error)),
        None => refuse("not_open", "The file is still being read.".to_owned()),
    });
}
