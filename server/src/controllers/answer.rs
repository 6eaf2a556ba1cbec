//! Answers to questions about a trace: computed on threads that may block, cached while they are valid.

mod packed;

use std::sync::{Arc, OnceLock};

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::question::Question;

use crate::access::Client;
use crate::app::App;
use crate::error::AppError;
use crate::storage::{Stored, Version};

/// Asks a trace and answers as JSON.
pub(crate) async fn ask(
    app: &Arc<App>,
    client: Client,
    stored: &Stored,
    request: &HeaderMap,
    question: Question,
) -> Result<Response, AppError> {
    work_out(app, client, stored, request, "application/json", move |trace| trace.answer(&question)).await
}

/// Answers with what `work` makes of a trace. A browser may keep the answer and asks whether it still holds: another build of this
/// program may answer otherwise, a user's own file may change, and a trace may be deleted. What comes from a file that is
/// still being checked is kept by nobody.
pub(crate) async fn work_out(
    app: &Arc<App>,
    client: Client,
    stored: &Stored,
    request: &HeaderMap,
    content_type: &'static str,
    work: impl FnOnce(&Trace) -> Result<String, QueryError> + Send + 'static,
) -> Result<Response, AppError> {
    let (plain, packed) = etags(&stored.version);
    if let Some(etag) = [&plain, &packed].into_iter().find(|etag| matches(request, etag)) {
        let kept = [(header::CACHE_CONTROL, CACHING), (header::ETAG, etag), VARY];
        return Ok((StatusCode::NOT_MODIFIED, kept).into_response());
    }
    let trace = app.load(stored).await?;
    // Now, and not when it is answered: the trace could be found damaged meanwhile, and a sound one have taken its place.
    let is_checked = app.cache.is_checked(&stored.id, &stored.version);
    let asked = app.questions.ask(client, trace.clone(), work).await;
    // What was missing read as zeros.
    if !trace.is_whole() {
        return Err(AppError::CutShort);
    }
    let body = asked?;
    let is_long = body.len() >= packed::LEAST_BYTES && packed::accepts_gzip(request);
    let gzip = match is_long {
        true => tokio::task::spawn_blocking(move || packed::gzip(&body).ok_or(body)).await,
        false => Ok(Err(body)),
    };
    let (mut answer, etag) = match gzip.map_err(|_| AppError::Internal("packing failed"))? {
        Ok(gzip) => (([(header::CONTENT_ENCODING, "gzip")], gzip).into_response(), packed),
        Err(body) => (body.into_response(), plain),
    };
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(VARY.0, HeaderValue::from_static(VARY.1));
    let caching = if is_checked { CACHING } else { "no-store" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if is_checked && let Ok(etag) = etag.parse() {
        headers.insert(header::ETAG, etag);
    }
    Ok(answer)
}

/// Packed and plain answers are kept apart.
const VARY: (HeaderName, &str) = (header::VARY, "accept-encoding");

/// Shared caches may not keep what only some may see.
const CACHING: &str = "private, no-cache";

/// The validators of this build's answers about a version, plain and packed: they have different bytes.
fn etags(version: &Version) -> (String, String) {
    let tag = match version {
        Version::Only => build().to_owned(),
        Version::Of { size_bytes, changed_unix_ns } => {
            format!("{}-{size_bytes:x}-{changed_unix_ns:x}", build())
        }
    };
    (format!("\"{tag}\""), format!("\"{tag}-gzip\""))
}

/// Which build of this program runs: its version, and when and how large its file was written.
fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let file = std::env::current_exe().and_then(std::fs::metadata);
        let size = file.as_ref().map_or(0, std::fs::Metadata::len);
        let written = file.as_ref().map_or(0, crate::storage::changed_unix_ns);
        format!("{}-{size:x}-{written:x}", env!("CARGO_PKG_VERSION"))
    })
}

/// Whether the client already has the content with this validator (`If-None-Match`).
pub(crate) fn matches(request: &HeaderMap, etag: &str) -> bool {
    let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = values.flat_map(|value| value.split(',')).map(str::trim);
    known.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == etag)
}
