//! Imports the file piece by piece, then answers.

use std::cell::RefCell;

use syclscope_engine::import::TraceImporter;
use syclscope_engine::store::Trace;
use syclscope_language::question::Question;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

use crate::page::{Failure, budget, listen, not_a_trace, pieces, sentence, tell, tell_end};

thread_local! {
    static TRACE: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// Listens to the page.
pub(crate) fn start() {
    listen(|message| match message.get(0).as_string().as_deref() {
        Some("open") => spawn_local(open(message.get(1).unchecked_into())),
        Some("ask") => answer(&message.get(1), &message.get(2).as_string().unwrap_or_default()),
        _ => {}
    });
}

async fn open(file: File) {
    tell_end("opened", import(&file).await.map(|trace| TRACE.set(Some(trace))));
}

async fn import(file: &File) -> Result<Trace, Failure> {
    let mut importer = TraceImporter::within(budget());
    pieces(file, |piece| importer.feed(piece)).await?;
    importer.finish().map_err(not_a_trace)
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
