//! Upload in parts: start, send each part, and wait for the import. Requests are retried after network errors and
//! server restarts.

use std::fmt::Write as _;

use js_sys::Uint8Array;
use syclscope_language::api::TraceEntry;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::request::{self, Answer, UploadRequest};
use super::{Attempt, Outcome, Progress};
use crate::browser::{sleep, window};
use crate::data::client::ClientError;
use crate::data::json::{members, words};

/// First and longest pause between attempts of a request, in ms.
const PAUSE_MS: i32 = 500;
const MAX_PAUSE_MS: i32 = 8_000;
/// Polling interval for the imported trace, in ms.
const LOOK_MS: i32 = 300;
/// Maximum number of restarts of an upload that the server has lost.
const MAX_RESTARTS: u32 = 3;

struct Start {
    open: Option<ServerUpload>,
    there: Option<TraceEntry>,
}

struct ServerUpload {
    id: String,
    size_bytes: u64,
    part_bytes: u64,
    parts: Vec<u64>,
    state: State,
}

struct State {
    is: Phase,
    trace: Option<TraceEntry>,
    message: Option<String>,
}

syclscope_language::words! {
    Phase {
        Open = "open",
        Importing = "importing",
        Done = "done",
        Failed = "failed",
    }
}

members! {
    Start { open, there };
    ServerUpload { id, size_bytes, part_bytes, parts, state };
    State { is, trace, message };
}

words!(Phase);

enum Stop {
    /// The server does not know the upload, or has lost some of its parts.
    Lost,
    Interrupted,
    Failed(ClientError),
}

impl From<ClientError> for Stop {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

pub(super) fn address(id: &str) -> String {
    format!("./api/v1/uploads/{id}")
}

pub(super) async fn send(attempt: &Attempt) -> Outcome {
    for _ in 0..MAX_RESTARTS {
        match bring(attempt).await {
            Ok(trace) => return Outcome::Stored(trace),
            Err(Stop::Lost) => drop(attempt.shared.id.take()),
            Err(Stop::Interrupted) => return Outcome::Interrupted,
            Err(Stop::Failed(error)) => return Outcome::Failed(error),
        }
    }
    Outcome::Interrupted
}

async fn bring(attempt: &Attempt) -> Result<TraceEntry, Stop> {
    let begun = attempt.shared.id.borrow().clone();
    let upload = match begun {
        Some(id) => look(attempt, &address(&id)).await?,
        None => {
            let begun = begin(attempt).await?;
            if let Some(trace) = begun.there {
                return Ok(trace);
            }
            begun.open.ok_or(Stop::Lost)?
        }
    };
    let place = address(&upload.id);
    if upload.state.is == Phase::Open {
        attempt.shared.id.replace(Some(upload.id.clone()));
        send_parts(attempt, &upload, &place).await?;
        let request =
            UploadRequest { method: "POST", path: &format!("{place}/complete"), ..UploadRequest::default() };
        or_lost(ask(attempt, &request).await?)?;
    }
    loop {
        attempt.tell(Progress::Importing);
        let state = look(attempt, &place).await?.state;
        match (state.is, state.trace) {
            (Phase::Done, Some(trace)) => return Ok(trace),
            (Phase::Importing, _) => sleep(LOOK_MS).await,
            (Phase::Open, _) => return Err(Stop::Lost),
            _ => {
                let message = state.message.unwrap_or_default();
                return Err(Stop::Failed(ClientError { code: "not_a_trace".into(), message }));
            }
        }
    }
}

async fn begin(attempt: &Attempt) -> Result<Start, Stop> {
    let file = &attempt.shared.file;
    let name = js_sys::JSON::stringify(&file.name().into()).unwrap_or_default();
    let mut json = format!("{{\"name\":{},\"size_bytes\":{}", String::from(name), file.size());
    if let Some(project) = &attempt.shared.project {
        json += &format!(",\"project\":\"{project}\"");
    }
    json.push('}');
    let request = UploadRequest {
        method: "POST",
        path: "./api/v1/uploads",
        json: Some(&json),
        ..UploadRequest::default()
    };
    Ok(ask(attempt, &request).await?.value()?)
}

async fn look(attempt: &Attempt, place: &str) -> Result<ServerUpload, Stop> {
    let request = UploadRequest { method: "GET", path: place, ..UploadRequest::default() };
    Ok(or_lost(ask(attempt, &request).await?)?.value()?)
}

async fn send_parts(attempt: &Attempt, upload: &ServerUpload, place: &str) -> Result<(), Stop> {
    let (whole, part) = (upload.size_bytes as f64, upload.part_bytes.max(1) as f64);
    let count = (whole / part).ceil() as u64;
    let size_of = |number: u64| part.min(whole - number as f64 * part);
    let mut sent: f64 = upload.parts.iter().map(|number| size_of(*number)).sum();
    for number in (0..count).filter(|number| !upload.parts.contains(number)) {
        attempt.tell_sent(sent);
        let start = number as f64 * part;
        let bytes = attempt.shared.file.slice_with_f64_and_f64(start, start + size_of(number));
        let bytes = bytes.map_err(|_| unreadable())?;
        // This also checks that the file can still be read.
        let sha256 = digest(&bytes).await.map_err(|_| unreadable())?;
        let path = format!("{place}/parts/{number}");
        let request = UploadRequest {
            method: "PUT",
            path: &path,
            bytes: Some((&bytes, sent)),
            sha256: sha256.as_deref(),
            json: None,
        };
        or_lost(ask(attempt, &request).await?)?.success()?;
        sent += size_of(number);
    }
    Ok(())
}

fn unreadable() -> Stop {
    let message = "Can't read the file: it may have changed or been deleted. Choose it again.".to_owned();
    Stop::Failed(ClientError { code: "unreadable_file".into(), message })
}

/// Returns the SHA-256 of bytes in hexadecimal, computed off the main thread; `None` if the browser has no digest, as
/// on pages loaded over plain HTTP from another computer.
async fn digest(bytes: &Blob) -> Result<Option<String>, JsValue> {
    let bytes = JsFuture::from(bytes.array_buffer()).await?;
    let crypto = window().crypto()?.subtle();
    if AsRef::<JsValue>::as_ref(&crypto).is_undefined() {
        return Ok(None);
    }
    let digest = crypto.digest_with_str_and_buffer_source("SHA-256", bytes.unchecked_ref())?;
    let digest = Uint8Array::new(&JsFuture::from(digest).await?);
    Ok(Some(digest.to_vec().iter().fold(String::new(), |mut digits, byte| {
        // Writing to a text never fails.
        let _ = write!(digits, "{byte:02x}");
        digits
    })))
}

/// Returns the response, or an error if the upload or some of its parts are missing on the server.
fn or_lost(answer: Answer) -> Result<Answer, Stop> {
    match answer.status {
        404 | 409 => Err(Stop::Lost),
        _ => Ok(answer),
    }
}

/// Sends a request until there is a response or the retries run out.
async fn ask(attempt: &Attempt, request: &UploadRequest<'_>) -> Result<Answer, Stop> {
    let mut pause_ms = PAUSE_MS;
    while !attempt.is_over() {
        match request::send(attempt, request).await {
            Some(answer) if !is_passing(answer.status) => return Ok(answer),
            _ if pause_ms > MAX_PAUSE_MS => break,
            _ => {}
        }
        attempt.tell(Progress::Waiting);
        sleep(pause_ms).await;
        pause_ms *= 2;
    }
    Err(Stop::Interrupted)
}

/// True for a temporary error status, such as from a busy or restarting server or proxy.
fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 502 | 503 | 504)
}
