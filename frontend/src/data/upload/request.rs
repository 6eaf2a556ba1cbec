//! A request with upload progress, which `fetch` doesn't report.

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ProgressEvent, XmlHttpRequest};

use super::Attempt;
use crate::data::client::{self, ClientError};
use crate::data::json::Value;

#[derive(Default)]
pub(super) struct UploadRequest<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    /// Bytes of the file, and the number of bytes that the server already has.
    pub(super) bytes: Option<(&'a Blob, f64)>,
    pub(super) sha256: Option<&'a str>,
    /// JSON body instead of bytes.
    pub(super) json: Option<&'a str>,
}

pub(super) struct Answer {
    pub(super) status: u16,
    body: String,
}

impl Answer {
    pub(super) fn value<T: Value>(self) -> Result<T, ClientError> {
        client::read(&self.success()?.body)
    }

    pub(super) fn success(self) -> Result<Self, ClientError> {
        match self.status {
            200..300 => Ok(self),
            status => Err(ClientError::from_body(status, &self.body)),
        }
    }
}

/// Sends one request; `None` without a response.
pub(super) async fn send(attempt: &Attempt, options: &UploadRequest<'_>) -> Option<Answer> {
    ask(attempt, options).await.ok().filter(|answer| answer.status != 0)
}

async fn ask(attempt: &Attempt, options: &UploadRequest<'_>) -> Result<Answer, JsValue> {
    let request = XmlHttpRequest::new()?;
    request.open(options.method, options.path)?;
    if let Some(sha256) = options.sha256 {
        request.set_request_header("x-content-sha256", sha256)?;
    }
    // This event fires exactly once, whatever the result.
    let ended = js_sys::Promise::new(&mut |resolve, _| request.set_onloadend(Some(&resolve)));
    let (teller, before) = (attempt.clone(), options.bytes.map_or(0.0, |(_, before)| before));
    let sent = Closure::<dyn Fn(ProgressEvent)>::new(move |event: ProgressEvent| {
        teller.tell_sent(before + event.loaded());
    });
    if let Some((bytes, _)) = options.bytes {
        request.upload()?.set_onprogress(Some(sent.as_ref().unchecked_ref()));
        request.set_request_header("content-type", "application/octet-stream")?;
        request.send_with_opt_blob(Some(bytes))?;
    } else {
        request.set_request_header("content-type", "application/json")?;
        request.send_with_opt_str(options.json)?;
    }
    attempt.shared.request.replace(Some(request.clone()));
    JsFuture::from(ended).await?;
    if !attempt.is_over() {
        attempt.shared.request.take();
    }
    // Without a response the status is 0.
    let status = request.status()?;
    Ok(Answer { status, body: request.response_text()?.unwrap_or_default() })
}
