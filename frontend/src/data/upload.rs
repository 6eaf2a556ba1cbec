//! Uploads with progress, which `fetch` can't tell.

use std::cell::RefCell;
use std::rc::Rc;

use syclscope_language::api::TraceEntry;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{File, ProgressEvent, XmlHttpRequest};

use crate::data::client::ClientError;
use crate::data::json;
use crate::idle::Busy;

/// How an upload ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server holds the trace.
    Stored(TraceEntry),
    /// It does not, and why.
    Failed(ClientError),
    /// The user broke it off.
    Cancelled,
}

/// An upload under way; [`Self::cancel`] breaks it off.
#[derive(Clone)]
pub struct Upload {
    request: XmlHttpRequest,
}

type Callbacks = Rc<RefCell<Vec<Closure<dyn FnMut(ProgressEvent)>>>>;

impl Upload {
    /// Sends a file. `progress` hears the sent share from 0 to 1, `done` how it ended.
    pub fn start(
        file: &File,
        progress: impl Fn(f64) + 'static,
        done: impl FnOnce(Outcome) + 'static,
    ) -> Result<Self, ClientError> {
        let failed = |_| ClientError::unreachable();
        let request = XmlHttpRequest::new().map_err(failed)?;
        let name: String = js_sys::encode_uri_component(&file.name()).into();
        request.open("POST", &format!("./api/v1/traces?name={name}")).map_err(failed)?;
        request.set_request_header("Content-Type", "application/octet-stream").map_err(failed)?;

        // The callbacks own themselves until the request has ended; `finish` frees them.
        let callbacks: Callbacks = Rc::default();
        let done = Rc::new(RefCell::new(Some((done, Busy::start()))));
        let finish = move |callbacks: &Callbacks, outcome: Outcome| {
            if let Some((done, pending)) = done.borrow_mut().take() {
                drop(pending);
                done(outcome);
            }
            let callbacks = callbacks.clone();
            // A closure can't be freed while it runs.
            leptos::task::spawn_local(async move { callbacks.borrow_mut().clear() });
        };
        let on = |outcome: fn(&XmlHttpRequest) -> Outcome| {
            let (request, finish, callbacks) = (request.clone(), finish.clone(), callbacks.clone());
            Closure::new(move |_: ProgressEvent| finish(&callbacks, outcome(&request)))
        };
        let (load, error, abort) = (on(answer), on(|_| unsent()), on(|_| Outcome::Cancelled));
        let sent = Closure::new(move |event: ProgressEvent| {
            if event.length_computable() && event.total() > 0.0 {
                progress(event.loaded() / event.total());
            }
        });
        request.set_onload(Some(load.as_ref().unchecked_ref()));
        request.set_onerror(Some(error.as_ref().unchecked_ref()));
        request.set_onabort(Some(abort.as_ref().unchecked_ref()));
        if let Ok(upload) = request.upload() {
            upload.set_onprogress(Some(sent.as_ref().unchecked_ref()));
        }
        callbacks.borrow_mut().extend([load, error, abort, sent]);
        request.send_with_opt_blob(Some(file)).map_err(failed)?;
        Ok(Self { request })
    }

    /// Breaks the upload off.
    pub fn cancel(&self) {
        // A request that has ended already stays as it is.
        let _ = self.request.abort();
    }
}

fn answer(request: &XmlHttpRequest) -> Outcome {
    let status = request.status().unwrap_or(0);
    let body = request.response_text().ok().flatten().unwrap_or_default();
    if !(200..300).contains(&status) {
        return Outcome::Failed(ClientError::from_body(status, &body));
    }
    match json::read(&body) {
        Ok(entry) => Outcome::Stored(entry),
        Err(_) => Outcome::Failed(ClientError::from_body(status, &body)),
    }
}

fn unsent() -> Outcome {
    Outcome::Failed(ClientError {
        code: "unsent".into(),
        message: "The upload was interrupted and nothing was stored. Try again.".into(),
    })
}
