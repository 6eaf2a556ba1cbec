//! Answers to questions about a trace: computed off the asynchronous threads, cached as long as they are true.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use syclscope_language::question::Question;

use crate::app::App;
use crate::error::AppError;
use crate::storage::{Stored, Version};

/// Asks a trace and answers as JSON. What is stored never changes, so the answer may be kept for ever; only by
/// the one who asked, because a trace may be deleted. Of a user's file it may be kept as long as the file
/// stays as it is.
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

/// The validator of answers about a version; `None` where it's the only one.
pub(crate) fn etag(version: &Version) -> Option<String> {
    match version {
        Version::Only => None,
        Version::Of { size_bytes, changed_unix_ns } => {
            Some(format!("\"{size_bytes:x}-{changed_unix_ns:x}\""))
        }
    }
}

/// Whether the client has the content of a validator already (`If-None-Match`).
pub(crate) fn matches(request: &HeaderMap, etag: &str) -> bool {
    let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = values.flat_map(|value| value.split(',')).map(str::trim);
    known.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == etag)
}
