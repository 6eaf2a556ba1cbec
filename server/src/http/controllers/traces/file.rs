//! `GET /api/v1/traces/{id}/file`: the stored bytes as uploaded, all or a range of them.

mod only;

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tower_http::services::ServeDir;

use self::only::Only;
use crate::app::App;
use crate::http::controllers::answer::CACHING;
use crate::http::error::AppError;
use crate::http::extract::{OnTrace, acts::ReadTrace};
use crate::ingest::trace_cache::LoadError;

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
    let if_range = headers.remove(header::IF_RANGE);
    let mut answer = read(&original, &method, headers.clone()).await.map_err(unreadable)?;
    // A client with a part of an older file must not get a part of the new one; `ServeDir` doesn't handle
    // `If-Range`.
    if if_range.is_some_and(|etag| answer.headers().get(header::ETAG) != Some(&etag)) {
        headers.remove(header::RANGE);
        answer = read(&original, &method, headers).await.map_err(unreadable)?;
    }
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHING));
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
