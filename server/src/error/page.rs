//! Errors of the page's addresses: pages and texts for people, where the interface answers in JSON.

use std::path::PathBuf;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::AppError;
use crate::address::root_from;

const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>syclscope</title>\
    <h1>This syclscope was built without its page</h1>\
    <p>Build a full one with <code>cargo xtask build</code>. The interface under <code>/api/v1</code> works.</p>";

/// Why an address of the page shows no page.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The page has no such file.
    UnknownAddress { folders: usize },
    /// The same, for a browser: the page, which says it.
    NothingThere(Box<Response>),
    /// The binary was built without the page.
    NotBuiltIn,
    /// The folder of `--page` lacks its `index.html`: a build may be under way.
    IndexMissing(PathBuf),
    /// The folder of `--page` lacks a file.
    FileMissing(PathBuf),
    /// The form for signing in once more: what it brought does not count.
    NotSignedIn(Box<Response>),
    /// What a link does not show, or why it shows nothing.
    Refused(AppError),
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match self {
            Self::UnknownAddress { folders } => html(StatusCode::NOT_FOUND, not_found(folders)),
            Self::NothingThere(mut page) => {
                *page.status_mut() = StatusCode::NOT_FOUND;
                page.headers_mut()
                    .insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
                *page
            }
            Self::NotBuiltIn => html(StatusCode::SERVICE_UNAVAILABLE, NO_PAGE),
            Self::IndexMissing(path) => missing(StatusCode::SERVICE_UNAVAILABLE, &path),
            Self::FileMissing(path) => missing(StatusCode::NOT_FOUND, &path),
            Self::NotSignedIn(mut form) => {
                *form.status_mut() = StatusCode::UNAUTHORIZED;
                *form
            }
            Self::Refused(error) => refused(&error),
        }
    }
}

/// The page that leads from so many folders below the application's to its list.
fn not_found(folders: usize) -> String {
    let list = root_from(folders);
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not found – syclscope</title>\
         <h1>There is nothing at this address</h1><p><a href=\"{list}\">To the list of traces</a></p>"
    )
}

/// A page that says why there is none.
fn refused(error: &AppError) -> Response {
    let (status, code) = error.kind();
    if status.is_server_error() {
        tracing::error!("answered {status}: {error}");
    }
    let message = crate::text::escaped(&error.message(code));
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not shown – syclscope</title>\
         <h1>This can't be shown</h1><p>{message}.</p>"
    );
    let mut response = (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response();
    error.dress(&mut response);
    response
}

fn html(status: StatusCode, text: impl Into<Body>) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, text.into()).into_response()
}

fn missing(status: StatusCode, path: &std::path::Path) -> Response {
    let text = format!("{} is missing or can't be read. Is the page being built?\n", path.display());
    (status, [(header::CACHE_CONTROL, "no-store")], text).into_response()
}
