//! Requests to the server. Their addresses are relative to the application's folder.

pub mod comments;
pub mod labels;
pub mod links;
pub mod screen;

use syclscope_language::api::{ErrorBody, ListedTrace, ProjectEntry, TraceEntry};
use syclscope_language::question::{CompareQuestion, PartOfRun, Question};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, Headers, ReadableStreamDefaultReader, RequestInit, Response};

use crate::browser::{now_ms, pause, window};
use crate::data::json::{self, JsonError, Value};
use crate::data::pieces::{NoText, Pieces};
use crate::data::trace_source::Text;
use crate::idle::Busy;

/// Time for reading a long answer before yielding to the page, in ms.
const PIECE_MS: f64 = 8.0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientError {
    /// Stable error code of the server; `unreachable` without a response, `unreadable` for an invalid one.
    pub code: String,
    pub message: String,
}

impl ClientError {
    pub fn unreachable() -> Self {
        Self {
            code: "unreachable".into(),
            message: "The server does not respond. Check that `syclscope` is running, then try again.".into(),
        }
    }

    /// Returns the error in a response's body, or else one with the status.
    pub fn from_body(status: u16, body: &str) -> Self {
        match json::read::<ErrorBody>(body) {
            Ok(body) => Self { code: body.error.code, message: body.error.message },
            Err(_) => Self {
                code: format!("status_{status}"),
                message: format!("The server returned status {status} without a message."),
            },
        }
    }

    /// True if the response isn't from syclscope: a plain file server has no API.
    pub fn is_no_server(&self) -> bool {
        self.code == "unreadable" || self.code.starts_with("status_4") || self.code == "status_501"
    }

    /// True if the same request may succeed later: no response, a busy server, or a proxy whose server restarts.
    pub fn is_passing(&self) -> bool {
        const PASSING: [&str; 6] =
            ["unreachable", "busy", "not_ready", "no_database", "no_store", "too_fast"];
        PASSING.contains(&self.code.as_str()) || self.code.starts_with("status_50") && !self.is_no_server()
    }

    #[cold]
    #[inline(never)]
    pub fn unreadable(error: &JsonError) -> Self {
        Self {
            code: "unreadable".into(),
            message: format!(
                "The server's answer could not be read ({error}). Page and server may have different versions: \
                 reload the page."
            ),
        }
    }
}

/// Returns a page of the trace list, and the address of the next one.
pub async fn traces(address: &str) -> Result<(Vec<ListedTrace>, Option<String>), ClientError> {
    let _busy = Busy::start();
    let response = fetch("GET", address).await?;
    let link = response.headers().get("link").ok().flatten();
    let next = link.as_deref().and_then(|link| link.strip_prefix('<')?.split_once('>'));
    let next = next.map(|(place, _)| format!("./api/v1/{place}"));
    Ok((read(&body(&response).await?)?, next))
}

/// Returns the trace list for a query, as raw text.
pub fn trace_list(query: String) -> Text<'static> {
    Box::pin(async move { send("GET", &format!("./api/v1/traces{query}")).await })
}

pub async fn projects() -> Result<Vec<ProjectEntry>, ClientError> {
    get("./api/v1/projects").await
}

pub async fn pin(id: &str, is_pinned: bool) -> Result<(), ClientError> {
    let path = format!("./api/v1/traces/{id}/pin");
    request(if is_pinned { "PUT" } else { "DELETE" }, &path).await.map(drop)
}

pub async fn ask(id: &str, question: &Question) -> Result<String, ClientError> {
    request("GET", &address(id, question)).await
}

/// Like [`ask`], for answers that may be long: it yields to the page while reading.
pub async fn ask_at_length(id: &str, question: &Question) -> Result<String, ClientError> {
    let _busy = Busy::start();
    let response = fetch("GET", &address(id, question)).await?;
    if !response.ok() {
        return body(&response).await;
    }
    let text = read_pieces(&response).await.map_err(|_| ClientError::unreachable())?;
    text.map_err(|NoText| ClientError::unreadable(&JsonError::new("it is no text")))
}

pub type Signal = web_sys::AbortSignal;

/// Like [`ask`], until `signal` cancels the query. The server then stops working on it.
pub async fn ask_until(id: &str, question: &Question, signal: &Signal) -> Result<String, ClientError> {
    let _busy = Busy::start();
    let options = RequestInit::new();
    options.set_method("GET");
    options.set_signal(Some(signal));
    let answered = match respond(&address(id, question), &options).await {
        Ok(response) => body(&response).await,
        Err(error) => Err(error),
    };
    answered.map_err(|error| match signal.aborted() {
        true => ClientError { code: "cancelled".into(), message: "The query was cancelled.".into() },
        false => error,
    })
}

/// Returns the answer to a query about a part of two traces, each with further runs of its side. The first trace is the
/// baseline.
pub async fn compare(
    [(a, more_a), (b, more_b)]: [(String, Vec<String>); 2],
    question: &CompareQuestion,
    part: &PartOfRun,
) -> Result<String, ClientError> {
    let mut address = format!("./api/v1/traces/{a}/compare/{b}/{}", part.with(question));
    for (name, runs) in
        [("more_a", more_a), ("more_b", more_b)].into_iter().filter(|(_, runs)| !runs.is_empty())
    {
        let sign = if address.contains('?') { '&' } else { '?' };
        address += &format!("{sign}{name}={}", runs.join("."));
    }
    request("GET", &address).await
}

pub async fn file(id: &str, name: &str) -> Result<File, ClientError> {
    let _busy = Busy::start();
    let response = fetch("GET", &format!("./api/v1/traces/{id}/file")).await?;
    if !response.ok() {
        return Err(body(&response).await.err().unwrap_or_else(ClientError::unreachable));
    }
    let unsent = |_: JsValue| ClientError::unreachable();
    let bytes = JsFuture::from(response.blob().map_err(unsent)?).await.map_err(unsent)?;
    File::new_with_blob_sequence(&js_sys::Array::of1(&bytes), name).map_err(unsent)
}

fn address(id: &str, question: &Question) -> String {
    let question = question.to_string();
    let slash = if question.is_empty() { "" } else { "/" };
    format!("./api/v1/traces/{id}{slash}{question}")
}

async fn read_pieces(response: &Response) -> Result<Result<String, NoText>, JsValue> {
    let mut text = Pieces::default();
    let Some(stream) = response.body() else { return Ok(text.finish()) };
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    let mut begun_ms = now_ms();
    loop {
        let piece = JsFuture::from(reader.read()).await?;
        let bytes = js_sys::Reflect::get(&piece, &"value".into())?;
        if bytes.is_undefined() {
            return Ok(text.finish());
        }
        let bytes: js_sys::Uint8Array = bytes.unchecked_into();
        if let Err(error) = text.push(&bytes.to_vec()) {
            return Ok(Err(error));
        }
        if now_ms() - begun_ms > PIECE_MS {
            pause().await;
            begun_ms = now_ms();
        }
    }
}

pub async fn delete(id: &str) -> Result<(), ClientError> {
    delete_at(&format!("./api/v1/traces/{id}")).await
}

pub(super) async fn delete_at(path: &str) -> Result<(), ClientError> {
    request("DELETE", path).await.map(drop)
}

async fn post<T: Value>(path: &str, json: &str) -> Result<T, ClientError> {
    send_json("POST", path, json).await
}

async fn send_json<T: Value>(method: &str, path: &str, json: &str) -> Result<T, ClientError> {
    read(&send_text(method, path, json).await?)
}

async fn send_text(method: &str, path: &str, json: &str) -> Result<String, ClientError> {
    let _busy = Busy::start();
    let options = RequestInit::new();
    options.set_method(method);
    options.set_body(&json.into());
    let unsent = |_| ClientError::unreachable();
    let headers = Headers::new().map_err(unsent)?;
    headers.set("content-type", "application/json").map_err(unsent)?;
    options.set_headers(&headers);
    body(&respond(path, &options).await?).await
}

fn object(texts: &[(&str, Option<&str>)]) -> String {
    let object = js_sys::Object::new();
    for (name, text) in texts {
        if let Some(text) = text {
            // Setting a field of a plain object can't fail.
            let _ = js_sys::Reflect::set(&object, &(*name).into(), &JsValue::from(*text));
        }
    }
    // A plain object always serializes.
    String::from(js_sys::JSON::stringify(&object).unwrap_or_default())
}

/// Stores a cleaned copy of a trace; `body` is the request's JSON.
pub async fn clean(id: &str, body: &str) -> Result<TraceEntry, ClientError> {
    post(&format!("./api/v1/traces/{id}/cleaned"), body).await
}

#[derive(Default)]
pub struct Health {
    /// Upload limit; `None` on a read-only server.
    pub max_upload_bytes: Option<u64>,
    /// True if the server has a page with a ledger of tries.
    pub has_tries: bool,
}

json::members! {
    Health { max_upload_bytes, has_tries } may lack { has_tries };
}

/// Returns facts about the server; without a server, upload and further pages are unavailable.
pub async fn health() -> Health {
    get::<Health>("./api/v1/health").await.unwrap_or_default()
}

async fn get<T: Value>(path: &str) -> Result<T, ClientError> {
    let body = request("GET", path).await?;
    read(&body)
}

pub fn read<T: Value>(body: &str) -> Result<T, ClientError> {
    json::read(body).map_err(|error| ClientError::unreadable(&error))
}

fn request<'a>(method: &'a str, path: &'a str) -> Text<'a> {
    Box::pin(send(method, path))
}

async fn send(method: &str, path: &str) -> Result<String, ClientError> {
    let _busy = Busy::start();
    body(&fetch(method, path).await?).await
}

pub(super) async fn fetch(method: &str, path: &str) -> Result<Response, ClientError> {
    let options = RequestInit::new();
    options.set_method(method);
    respond(path, &options).await
}

async fn respond(path: &str, options: &RequestInit) -> Result<Response, ClientError> {
    let response = JsFuture::from(window().fetch_with_str_and_init(path, options)).await;
    response.and_then(JsValue::dyn_into).map_err(|_| ClientError::unreachable())
}

/// Returns the body of a response, or the error in it if its status is an error.
pub(super) async fn body(response: &Response) -> Result<String, ClientError> {
    let no_answer = |_: JsValue| ClientError::unreachable();
    let body = JsFuture::from(response.text().map_err(no_answer)?).await.map_err(no_answer)?;
    let body = body.as_string().unwrap_or_default();
    if response.ok() { Ok(body) } else { Err(ClientError::from_body(response.status(), &body)) }
}
