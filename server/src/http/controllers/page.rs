//! The page: `/` and `/t/{id}` are its `index.html`, every other URL is one of its files; those below `docs/`
//! are the documentation. A browser that navigates to an unknown URL also gets the page, which shows an
//! error.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse as _, Redirect, Response};

use super::answer::{accepts, matches};
use super::sign_in;
use crate::app::App;
use crate::auth::Principal;
use crate::http::address::depth;
use crate::http::error::{AppError, PageError};
use crate::http::page::{DOCUMENTS, PageFile};
use crate::http::static_page;

pub(crate) async fn index(
    principal: Extension<Principal>,
    State(app): State<Arc<App>>,
    uri: Uri,
    request: HeaderMap,
) -> Result<Response, PageError> {
    if principal.may_sign_in() && sign_in::is_here(&app) {
        // No sign-in in a frame: the outer page could try to get the user's password.
        if is_framed(&request) {
            return Err(PageError::Framed { whole: without_frame(&uri) });
        }
        return Ok(sign_in::first(&uri));
    }
    if let Some(name) = principal.without_project() {
        let (name, signs_out) = (name.to_owned(), sign_in::is_here(&app));
        return Err(PageError::NoMember { name, depth: depth(uri.path()), signs_out });
    }
    let file = app.page.index(depth(uri.path())).ok_or_else(|| match app.page.folder() {
        Some(folder) => PageError::IndexMissing(folder.join("index.html")),
        None => PageError::NotBuiltIn,
    })?;
    let file = match app.viewers.insert_into(&file.bytes()) {
        Some(html) => file.with_bytes(html),
        None => file,
    };
    Ok(send(file, &request))
}

pub(crate) async fn file(
    State(app): State<Arc<App>>,
    uri: Uri,
    request: HeaderMap,
) -> Result<Response, PageError> {
    let path = uri.path().trim_start_matches('/');
    if path == DOCUMENTS.trim_end_matches('/') {
        // Links in a folder's page are relative to the folder.
        return Ok(Redirect::permanent(DOCUMENTS).into_response());
    }
    if let Some(file) = app.page.file(path) {
        return Ok(send(file, &request));
    }
    if let Some(index) = app.page.index(depth(uri.path())).filter(|_| is_navigation(&request)) {
        return Err(PageError::NothingThere(Box::new(send(index, &HeaderMap::new()))));
    }
    Err(match app.page.folder() {
        Some(folder) => PageError::FileMissing(folder.join(path)),
        None => PageError::UnknownAddress { depth: depth(uri.path()) },
    })
}

fn is_framed(request: &HeaderMap) -> bool {
    let goal = request.get("sec-fetch-dest").map_or(&b""[..], |value| value.as_bytes());
    matches!(goal, b"iframe" | b"frame" | b"embed" | b"object")
}

/// Returns the URL of the same page outside a frame.
fn without_frame(uri: &Uri) -> String {
    let page = uri.path().rsplit('/').next().unwrap_or_default();
    let parts = uri.query().unwrap_or_default().split('&');
    let view: Vec<&str> = parts.filter(|part| part.split('=').next() != Some("embed")).collect();
    format!("./{page}?{}", view.join("&"))
}

/// Responds with a page generated for this request, or with `refused` for an error. Programs get errors in
/// the API's usual form.
pub(super) fn fresh(
    made: Result<String, AppError>,
    app: &App,
    (uri, request): (&Uri, &HeaderMap),
    refused: impl FnOnce(AppError) -> PageError,
) -> Response {
    match made {
        Ok(html) => {
            let headers = [
                (header::CONTENT_SECURITY_POLICY, static_page::policy()),
                (header::CACHE_CONTROL, "no-store"),
            ];
            (headers, Html(html)).into_response()
        }
        Err(error) if !is_navigation(request) => error.into_response(),
        Err(AppError::SignIn) if sign_in::is_here(app) => sign_in::first(uri),
        Err(error) => refused(error).into_response(),
    }
}

/// True if a browser navigates, as opposed to loading a subresource of a page.
pub(super) fn is_navigation(request: &HeaderMap) -> bool {
    let mut kinds = request.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    kinds.any(|kinds| kinds.contains("text/html"))
}

/// Sends a file in the encoding that the client accepts, or "not modified".
fn send(file: PageFile, request: &HeaderMap) -> Response {
    let brotli = file.brotli.clone().filter(|_| accepts(request, "br"));
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
    let body = brotli.unwrap_or_else(|| file.bytes());
    let mut response = (common, [(header::CONTENT_TYPE, file.content_type)], body).into_response();
    if is_brotli {
        response.headers_mut().insert(header::CONTENT_ENCODING, header::HeaderValue::from_static("br"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_on_its_own_has_the_view_of_the_framed_one() {
        for (address, whole) in [
            ("/t/a?embed", "./a?"),
            ("/t/a?v=graph&embed=1&s=n1", "./a?v=graph&s=n1"),
            ("/?v=embed", "./?v=embed"),
        ] {
            assert_eq!(without_frame(&address.parse().unwrap()), whole, "{address}");
        }
    }
}
