//! The page: `/` and `/t/{id}` are its `index.html`, every other address is one of its files.

use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};

use super::answer::matches;
use crate::app::App;
use crate::page::PageFile;

const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>syclscope</title>\
    <h1>This syclscope was built without its page</h1>\
    <p>Build a full one with <code>cargo xtask build</code>. The interface under <code>/api/v1</code> works.</p>";

const NOT_FOUND: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not found – syclscope</title>\
    <h1>There is nothing at this address</h1><p><a href=\"/\">To the list of traces</a></p>";

pub(crate) async fn index(State(app): State<Arc<App>>, uri: Uri, request: HeaderMap) -> Response {
    let folders = uri.path().matches('/').count().saturating_sub(1);
    match app.page.index(folders) {
        Some(file) => send(file, &request),
        None => match app.page.folder() {
            Some(folder) => missing(StatusCode::SERVICE_UNAVAILABLE, &folder.join("index.html")),
            None => html(StatusCode::SERVICE_UNAVAILABLE, NO_PAGE),
        },
    }
}

pub(crate) async fn file(State(app): State<Arc<App>>, uri: Uri, request: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    match app.page.file(path) {
        Some(file) => send(file, &request),
        None => match app.page.folder() {
            Some(folder) => missing(StatusCode::NOT_FOUND, &folder.join(path)),
            None => html(StatusCode::NOT_FOUND, NOT_FOUND),
        },
    }
}

/// Names the file that a page's folder lacks.
fn missing(status: StatusCode, path: &Path) -> Response {
    let text = format!("{} is missing or can't be read. Is the page being built?\n", path.display());
    (status, [(header::CACHE_CONTROL, "no-store")], text).into_response()
}

fn html(status: StatusCode, text: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, text).into_response()
}

/// Sends a file in the form that the client takes, or says that the client has it already.
fn send(file: PageFile, request: &HeaderMap) -> Response {
    let brotli = file.brotli.filter(|_| accepts_brotli(request));
    let is_brotli = brotli.is_some();
    let etag = if is_brotli { format!("\"{}-br\"", file.etag) } else { format!("\"{}\"", file.etag) };
    let common = [
        (header::CACHE_CONTROL, file.caching),
        (header::VARY, "accept-encoding"),
        (header::ETAG, etag.as_str()),
    ];
    if matches(request, &etag) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let body = brotli.unwrap_or(file.bytes);
    let mut response = (common, [(header::CONTENT_TYPE, file.content_type)], body).into_response();
    if is_brotli {
        response.headers_mut().insert(header::CONTENT_ENCODING, header::HeaderValue::from_static("br"));
    }
    response
}

/// Whether the client takes brotli (`Accept-Encoding`, a quality of 0 says no).
fn accepts_brotli(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut offers = values.flat_map(|value| value.split(','));
    offers.any(|offer| {
        let mut parts = offer.split(';').map(str::trim);
        let is_brotli = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("br"));
        let quality = parts.find_map(|part| part.strip_prefix("q=")).and_then(|q| q.parse::<f32>().ok());
        is_brotli && quality.is_none_or(|quality| quality > 0.0)
    })
}
