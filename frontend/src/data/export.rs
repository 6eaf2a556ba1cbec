//! Export to another format: by the server, or by a separate worker for a local file.

use js_sys::{Array, Promise, Uint8Array};
use syclscope_language::formats::Format;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, MessageEvent, ReadableStreamDefaultReader};

use crate::data::client::{self, ClientError};
use crate::data::trace_source::TraceSource;
use crate::data::worker::{broken, not_started, start, text};
use crate::idle::Busy;

/// Callback with a number of bytes: written by the server, or read from a local file.
pub type Progress = Box<dyn Fn(f64)>;

/// Returns the address of a server's export. With `from_zero`, times count from the start of the trace.
pub fn address(id: &str, format: Format, from_zero: bool) -> String {
    let times = if from_zero { "?times=zero" } else { "" };
    format!("./api/v1/traces/{id}/export/{}{times}", format.as_str())
}

pub async fn export(
    home: &TraceSource,
    format: Format,
    from_zero: bool,
    progress: Progress,
) -> Result<Blob, ClientError> {
    let _busy = Busy::start();
    let pieces = match home {
        TraceSource::Server(id) => download(&address(id, format, from_zero), progress).await,
        TraceSource::Worker(trace) => {
            let file = trace.file();
            write(&Array::of4(&"export".into(), &file, &format.as_str().into(), &from_zero.into()), progress)
                .await
        }
    }?;
    blob(&pieces)
}

/// Returns a copy of a local file without some kinds of private data. With `keep_file_names`, only the folders of paths
/// are removed.
pub async fn clean(
    file: &File,
    kinds: &str,
    keep_file_names: bool,
    progress: Progress,
) -> Result<Blob, ClientError> {
    let _busy = Busy::start();
    let message = Array::of4(&"clean".into(), file, &kinds.into(), &keep_file_names.into());
    blob(&write(&message, progress).await?)
}

fn blob(pieces: &Array) -> Result<Blob, ClientError> {
    Blob::new_with_u8_array_sequence(pieces).map_err(|_| ClientError::unreachable())
}

async fn download(address: &str, progress: Progress) -> Result<Array, ClientError> {
    let response = client::fetch("GET", address).await?;
    if !response.ok() {
        return client::body(&response).await.map(|_| Array::new());
    }
    let pieces = Array::new();
    let Some(stream) = response.body() else { return Ok(pieces) };
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    let broken_off = |_| ClientError {
        code: "broken_off".into(),
        message: "The export broke off. The server's log may say why; try again.".into(),
    };
    let mut read_bytes = 0.0;
    loop {
        let piece = JsFuture::from(reader.read()).await.map_err(broken_off)?;
        let bytes = js_sys::Reflect::get(&piece, &"value".into()).map_err(broken_off)?;
        if bytes.is_undefined() {
            return Ok(pieces);
        }
        read_bytes += f64::from(bytes.unchecked_ref::<Uint8Array>().length());
        pieces.push(&bytes);
        progress(read_bytes);
    }
}

async fn write(message: &Array, progress: Progress) -> Result<Array, ClientError> {
    let worker = start("exporter").map_err(|_| not_started())?;
    let pieces = Array::new();
    let mut end = None;
    let ended = Promise::new(&mut |resolve, _| end = Some(resolve));
    let hear = {
        let pieces = pieces.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let message: Array = event.data().unchecked_into();
            // The error event of a failed worker has no list.
            let word = if Array::is_array(&message) { text(&message, 0) } else { String::new() };
            match (word.as_str(), &end) {
                ("piece", _) => drop(pieces.push(&message.get(1))),
                ("progress", _) => progress(message.get(1).as_f64().unwrap_or_default()),
                // The function resolves our promise and accepts any value.
                (_, Some(end)) => drop(end.call1(&JsValue::NULL, &message)),
                _ => {}
            }
        })
    };
    worker.set_onmessage(Some(hear.as_ref().unchecked_ref()));
    worker.set_onerror(Some(hear.as_ref().unchecked_ref()));
    worker.post_message(message).map_err(|_| not_started())?;
    let last = JsFuture::from(ended).await;
    worker.terminate();
    let last: Array = last.unwrap_or_default().unchecked_into();
    let word = if Array::is_array(&last) { text(&last, 0) } else { String::new() };
    match word.as_str() {
        "written" => Ok(pieces),
        "failed" => Err(ClientError { code: text(&last, 1), message: text(&last, 2) }),
        _ => Err(broken("the export was too large for it")),
    }
}
