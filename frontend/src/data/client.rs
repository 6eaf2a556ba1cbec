//! Requests to the server. Their addresses are relative to the application's folder.

use std::cell::Cell;

use serde::de::DeserializeOwned;
use syclscope_trace::api::{ErrorBody, TraceEntry};
use syclscope_trace::source::Question;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestInit, Response};

use crate::browser::window;
use crate::data::home::Text;
use crate::data::json::{self, JsonError};

thread_local! {
    static PENDING: Cell<usize> = const { Cell::new(0) };
}

/// Why a request has no answer, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientError {
    /// The server's stable name of the error; `unreachable` where no answer came, `unreadable` where it made no
    /// sense.
    pub code: String,
    /// One sentence.
    pub message: String,
}

impl ClientError {
    /// No answer came.
    pub fn unreachable() -> Self {
        Self {
            code: "unreachable".into(),
            message: "The server does not answer. Is `syclscope` still running? Start it again, then retry."
                .into(),
        }
    }

    /// The error that a response's body tells, or its status where the body tells none.
    pub fn from_body(status: u16, body: &str) -> Self {
        match json::read::<ErrorBody>(body) {
            Ok(body) => Self { code: body.error.code, message: body.error.message },
            Err(_) => Self {
                code: format!("status_{status}"),
                message: format!("The server answered with status {status} and no explanation."),
            },
        }
    }

    /// Whether the answer shows that no syclscope answers here: whoever serves the page's files knows no interface.
    pub fn is_no_server(&self) -> bool {
        self.code == "unreadable" || self.code.starts_with("status_4") || self.code == "status_501"
    }

    /// The answer is not what was asked for.
    #[cold]
    #[inline(never)]
    pub fn unreadable(error: &JsonError) -> Self {
        Self {
            code: "unreadable".into(),
            message: format!(
                "The server's answer could not be read ({error}). Page and server may be of different versions: \
                 reload the page."
            ),
        }
    }
}

/// Requests that have no answer yet.
pub fn pending() -> usize {
    PENDING.get()
}

/// Counts a request until it is dropped.
pub struct Pending;

impl Pending {
    /// Starts to count one.
    pub fn start() -> Self {
        PENDING.set(PENDING.get() + 1);
        Self
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        PENDING.set(PENDING.get().saturating_sub(1));
    }
}

/// The stored traces.
pub async fn traces() -> Result<Vec<TraceEntry>, ClientError> {
    get("./api/v1/traces").await
}

/// The answer to a question about a trace.
pub async fn ask(id: &str, question: &Question) -> Result<String, ClientError> {
    let question = question.to_string();
    let slash = if question.is_empty() { "" } else { "/" };
    request("GET", &format!("./api/v1/traces/{id}{slash}{question}")).await
}

/// Deletes a trace.
pub async fn delete(id: &str) -> Result<(), ClientError> {
    request("DELETE", &format!("./api/v1/traces/{id}")).await.map(drop)
}

/// The largest upload that the server takes, in bytes; `None` where it only shows what it has.
pub async fn upload_limit_bytes() -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Health {
        max_upload_bytes: Option<u64>,
    }
    get::<Health>("./api/v1/health").await.ok()?.max_upload_bytes
}

async fn get<T: DeserializeOwned>(path: &str) -> Result<T, ClientError> {
    let body = request("GET", path).await?;
    read(&body)
}

/// Reads an answer.
pub fn read<T: DeserializeOwned>(body: &str) -> Result<T, ClientError> {
    json::read(body).map_err(|error| ClientError::unreadable(&error))
}

fn request<'a>(method: &'a str, path: &'a str) -> Text<'a> {
    Box::pin(send(method, path))
}

async fn send(method: &str, path: &str) -> Result<String, ClientError> {
    let _pending = Pending::start();
    let options = RequestInit::new();
    options.set_method(method);
    let no_answer = |_: JsValue| ClientError::unreachable();
    let response =
        JsFuture::from(window().fetch_with_str_and_init(path, &options)).await.map_err(no_answer)?;
    let response: Response = response.dyn_into().map_err(no_answer)?;
    let body = JsFuture::from(response.text().map_err(no_answer)?).await.map_err(no_answer)?;
    let body = body.as_string().unwrap_or_default();
    if response.ok() { Ok(body) } else { Err(ClientError::from_body(response.status(), &body)) }
}
