//! Answers to questions about a trace: computed on threads that may block, cached while they are valid.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use syclscope_language::question::Question;

use crate::app::App;
use crate::error::AppError;
use crate::storage::{Stored, Version};

/// Asks a trace and answers as JSON. Stored traces never change, so a browser may keep the answer for ever; shared caches
/// may not, because a user may delete the trace. A user's own file may change, so its answers have a validator.
pub(crate) async fn ask(
    app: &Arc<App>,
    stored: &Stored,
    request: &HeaderMap,
    question: Question,
) -> Result<Response, AppError> {
    let etag = etag(&stored.version);
    let caching = match etag {
        None => "private, max-age=31536000, immutable",
        Some(_) => "no-cache",
    };
    if let Some(etag) = &etag
        && matches(request, etag)
    {
        return Ok((StatusCode::NOT_MODIFIED, [(header::CACHE_CONTROL, caching)]).into_response());
    }
    let trace = app.load(stored).await?;
    let body = tokio::task::spawn_blocking(move || trace.answer(&question));
    let body = body.await.map_err(|_| AppError::Internal("a query failed"))??;
    let mut response = ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, caching)], body)
        .into_response();
    if let Some(etag) = etag.and_then(|etag| etag.parse().ok()) {
        response.headers_mut().insert(header::ETAG, etag);
    }
    Ok(response)
}

/// The validator of answers about a version; `None` where the content never changes.
pub(crate) fn etag(version: &Version) -> Option<String> {
    match version {
        Version::Only => None,
        Version::Of { size_bytes, changed_unix_ns } => {
            Some(format!("\"{size_bytes:x}-{changed_unix_ns:x}\""))
        }
    }
}

/// Whether the client already has the content with this validator (`If-None-Match`).
pub(crate) fn matches(request: &HeaderMap, etag: &str) -> bool {
    let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = values.flat_map(|value| value.split(',')).map(str::trim);
    known.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == etag)
}
