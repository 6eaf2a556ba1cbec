//! Errors at the page's URLs: pages and texts for people, where the API responds with JSON.

use std::path::PathBuf;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::AppError;
use crate::http::address::root_from;
use crate::http::static_page;

/// For pages without scripts: a form may be sent to this server, and nothing may be loaded.
pub(crate) const FORM_POLICY: &str =
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>syclscope</title>\
    <h1>This syclscope was built without its page</h1>\
    <p>Build a full one with <code>cargo xtask build</code>. The API under <code>/api/v1</code> works.</p>";

#[derive(Debug)]
pub(crate) enum PageError {
    UnknownAddress {
        depth: usize,
    },
    /// Not found, for a browser: the page, which shows the error.
    NothingThere(Box<Response>),
    NotBuiltIn,
    /// The folder of `--page` lacks its `index.html`, perhaps because of a running build.
    IndexMissing(PathBuf),
    FileMissing(PathBuf),
    /// The sign-in form again, after wrong credentials.
    NotSignedIn(Box<Response>),
    /// A refused sign-in at an identity provider, with a link to try again.
    NotLetIn {
        error: AppError,
        to: String,
    },
    /// A frame in a page of another site, for which browsers send no session.
    Framed {
        whole: String,
    },
    /// A signed-in person who belongs to no project.
    NoMember {
        name: String,
        depth: usize,
        signs_out: bool,
    },
    /// An invalid link, or one that does not permit this.
    Refused(AppError),
    /// `root` leads to the application's folder.
    NoHistory {
        error: AppError,
        root: String,
    },
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match self {
            Self::UnknownAddress { depth } => html(StatusCode::NOT_FOUND, not_found(depth)),
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
                form.extensions_mut().insert(super::Code(AppError::WrongToken.code()));
                *form
            }
            Self::NotLetIn { error, to } => error_page(&error, &sign_in_links(&to)),
            Self::Framed { whole } => html(StatusCode::UNAUTHORIZED, framed(&whole)),
            Self::NoMember { name, depth, signs_out } => no_member(&name, depth, signs_out),
            Self::Refused(error) => error_page(&error, ""),
            Self::NoHistory { error, root } => no_history(&error, &root),
        }
    }
}

/// Returns the page for an unknown URL `depth` folders below the application's folder, with a link to the list.
fn not_found(depth: usize) -> String {
    let list = root_from(depth);
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not found – syclscope</title>\
         <h1>Page not found</h1><p><a href=\"{list}\">List of traces</a></p>"
    )
}

/// Returns the page for frames in pages of other sites, for which browsers send no session.
fn framed(whole: &str) -> String {
    let whole = syclscope_text::escaped(whole);
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign in – syclscope</title>\
         <p>Viewing this trace requires sign-in, which isn't possible within another page.</p>\
         <p><a href=\"{whole}\" target=\"_blank\" rel=\"noopener\">Open it in syclscope</a></p>\
         <p>To embed it here, use a share link from its menu Share.</p>"
    )
}

/// Returns the page for a signed-in person who belongs to no project.
fn no_member(name: &str, depth: usize, signs_out: bool) -> Response {
    let word = syclscope_text::escaped(&syclscope_text::shell_word(name));
    let (name, up) = (syclscope_text::escaped(name), root_from(depth));
    let way_out = format!("<form method=\"post\" action=\"{up}sign-out\"><button>Sign out</button></form>");
    let way_out = if signs_out { way_out } else { String::new() };
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>No project yet – syclscope</title>\
         <main><h1>You are not in a project yet</h1><p>You have signed in as <strong>{name}</strong>.</p>\
         <p>Ask an admin of this server to make you a member of your project, under exactly this name:</p>\
         <pre>syclscope member add {word} --role viewer --project PROJECT</pre>{way_out}</main></html>"
    );
    let mut response = html(StatusCode::FORBIDDEN, text);
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, header::HeaderValue::from_static(FORM_POLICY));
    response
}

/// Returns links to sign in again, relative to the sign-in's own folder.
fn sign_in_links(to: &str) -> String {
    let to = percent_encoding::utf8_percent_encode(to, percent_encoding::NON_ALPHANUMERIC);
    format!(
        "<p><a href=\"sign-in?to={to}\">Sign in again</a>, or <a href=\"sign-in?token&amp;to={to}\">with a token</a></p>"
    )
}

/// Returns a page with the error, and `more` below it.
fn error_page(error: &AppError, more: &str) -> Response {
    let (status, code) = error.kind();
    if status.is_server_error() {
        tracing::error!("answered {status}: {error}");
    }
    let message = syclscope_text::escaped(&error.message(code));
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not shown – syclscope</title>\
         <h1>This can't be shown</h1><p>{message}.</p>{more}"
    );
    let mut response = (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response();
    error.dress(&mut response);
    response
}

/// Returns the page with the error instead of a history, and a link.
fn no_history(error: &AppError, root: &str) -> Response {
    let (status, code) = error.kind();
    if status.is_server_error() {
        tracing::error!("answered {status}: {error}");
    }
    let body = format!(
        "<h1>No history</h1><p>{}.</p><p><a href=\"{root}\">All traces</a></p>",
        syclscope_text::escaped(&error.message(code))
    );
    let mut response = html(status, static_page::page("No history", &body, root));
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, header::HeaderValue::from_static(static_page::policy()));
    error.dress(&mut response);
    response
}

fn html(status: StatusCode, text: impl Into<Body>) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, text.into()).into_response()
}

fn missing(status: StatusCode, path: &std::path::Path) -> Response {
    let text = format!("can't read {}. Is the page being built?\n", path.display());
    (status, [(header::CACHE_CONTROL, "no-store")], text).into_response()
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::http::error::Code;

    #[test]
    fn errors_of_pages_have_a_name_for_metrics() {
        let root = "./".to_owned();
        for page in [PageError::Refused(AppError::Busy), PageError::NoHistory { error: AppError::Busy, root }]
        {
            let response = page.into_response();
            assert_eq!(response.extensions().get::<Code>().map(|Code(name)| *name), Some("busy"));
        }
        let form = PageError::NotSignedIn(Box::new(Response::new(Body::empty()))).into_response();
        assert_eq!(form.extensions().get::<Code>().map(|Code(name)| *name), Some("wrong_token"));
    }

    #[tokio::test]
    async fn the_command_for_an_admin_takes_the_whole_name() {
        for (name, word) in [("ada", "ada"), ("O'Brien", "&#39;O&#39;\\&#39;&#39;Brien&#39;")] {
            let page = no_member(name, 0, false).into_body().collect().await.unwrap().to_bytes();
            let page = String::from_utf8(page.to_vec()).unwrap();
            assert!(page.contains(&format!("member add {word} --role")), "{page}");
        }
    }
}
