//! `GET /api/v1/traces/{id}/file`: the stored bytes as uploaded, all or a range of them.

mod only;

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tower_http::services::ServeDir;

use self::only::Only;
use crate::app::App;
use crate::http::controllers::answer::{CACHING, matches};
use crate::http::error::AppError;
use crate::http::extract::{OnTrace, acts::ReadTrace};
use crate::ingest::trace_cache::LoadError;
use crate::storage::Version;

const CHUNK_BYTES: usize = 256 << 10;

/// Characters that RFC 5987 requires to be encoded in the value of a header's parameter, and a few more.
const NOT_IN_PARAMETERS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(crate) async fn download(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    method: Method,
    mut headers: HeaderMap,
) -> Result<Response, AppError> {
    let original = app.storage.original(&stored).await?;
    let unreadable =
        |error| AppError::Load { name: stored.entry.name.clone(), error: Arc::new(LoadError::Read(error)) };
    // The bytes of a stored trace never change, but the times of the replicas' copies differ.
    let fixed = matches!(stored.version, Version::Only).then(|| format!("\"{}\"", stored.id));
    if let Some(etag) = &fixed {
        if matches(&headers, etag) {
            let known = [(header::CACHE_CONTROL, CACHING), (header::ETAG, etag.as_str())];
            return Ok((StatusCode::NOT_MODIFIED, known).into_response());
        }
        // `ServeDir` would compare them with its own file.
        for name in
            [header::IF_MATCH, header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE, header::IF_UNMODIFIED_SINCE]
        {
            headers.remove(name);
        }
    }
    let if_range = headers.remove(header::IF_RANGE);
    let mut answer = read(&original, &method, headers.clone()).await.map_err(unreadable)?;
    // A client with a part of an older file must not get a part of the new one; `ServeDir` doesn't handle
    // `If-Range`.
    let is_other = if_range.is_some_and(|sent| match &fixed {
        Some(etag) => sent.as_bytes() != etag.as_bytes(),
        None => answer.headers().get(header::ETAG) != Some(&sent),
    });
    if is_other {
        headers.remove(header::RANGE);
        answer = read(&original, &method, headers).await.map_err(unreadable)?;
    }
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHING));
    if let Some(Ok(etag)) = fixed.map(|etag| etag.parse()) {
        headers.insert(header::ETAG, etag);
        headers.remove(header::LAST_MODIFIED);
    }
    // Responses without content have no type.
    if let Some(content_type) = headers.get_mut(header::CONTENT_TYPE) {
        *content_type = HeaderValue::from_static("application/octet-stream");
        if let Ok(value) = disposition(&stored.entry.name).parse() {
            headers.insert(header::CONTENT_DISPOSITION, value);
        }
    }
    Ok(answer)
}

async fn read(path: &Path, method: &Method, headers: HeaderMap) -> io::Result<Response> {
    let mut request = Request::new(Body::empty());
    *request.method_mut() = method.clone();
    *request.headers_mut() = headers;
    let file = ServeDir::with_backend("", Only(path.to_owned())).append_index_html_on_directories(false);
    let mut file = file.with_buf_chunk_size(CHUNK_BYTES).ignore_multi_range_requests(true);
    Ok(file.try_call(request).await?.map(Body::new))
}

/// Returns `Content-Disposition` for a file name: plain for old clients, and exact in UTF-8.
pub(super) fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' { c } else { '_' })
        .collect();
    let exact = utf8_percent_encode(name, NOT_IN_PARAMETERS);
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_headers_are_harmless() {
        assert_eq!(
            disposition("run.pftrace"),
            "attachment; filename=\"run.pftrace\"; filename*=UTF-8''run.pftrace"
        );
        assert_eq!(
            disposition("ä\"\r\n.json"),
            "attachment; filename=\"____.json\"; filename*=UTF-8''%C3%A4%22%0D%0A.json"
        );
    }
}
