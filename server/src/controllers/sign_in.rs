//! `/sign-in`: a form for a token, from which a session begins. Plain HTML without scripts; what comes before it is the page
//! that somebody wanted, to which they come back.

use std::sync::Arc;

use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::access::{self, Access, Secret};
use crate::address::{folders, root_from};
use crate::app::App;
use crate::error::{AppError, PageError};
use crate::extract::{Anyone, Tries, cookies};
use crate::text::escaped;

/// The form posts to this server, and the page loads nothing.
const POLICY: &str = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What can't stand in a header.
const UNWRITTEN: &AsciiSet = &CONTROLS.add(b' ');

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Wanted {
    /// The page to come back to, from the folder of this one.
    #[serde(default)]
    to: String,
}

#[derive(Deserialize)]
pub(crate) struct Filled {
    token: String,
    #[serde(default)]
    to: String,
}

/// Whether people sign in here, and not elsewhere.
pub(crate) fn is_here(app: &App) -> bool {
    matches!(app.access, Access::Token)
}

/// Leads whoever wants a page here first.
pub(crate) fn first(uri: &Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let wanted = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    let up = root_from(folders(uri.path()));
    Redirect::to(&format!("{up}sign-in?to={}", utf8_percent_encode(&wanted, NON_ALPHANUMERIC)))
        .into_response()
}

pub(crate) async fn show(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, AppError> {
    if is_here(&app) { Ok(form(&wanted.to, None)) } else { Err(AppError::NoSuchAddress) }
}

pub(crate) async fn sign_in(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
    tries: Tries,
    headers: HeaderMap,
    Form(filled): Form<Filled>,
) -> Result<Response, PageError> {
    let session = async {
        if !is_here(&app) {
            return Err(AppError::NoSuchAddress);
        }
        let token = Secret::parse_token(filled.token.trim()).map_err(|_| AppError::WrongToken)?;
        let db = app.database()?;
        tries.of(&app, &token, access::sign_in_with(db, &token)).await?.ok_or(AppError::WrongToken)
    };
    match session.await {
        Ok(session) => Ok(welcome(&headers, &session, &filled.to)),
        Err(error @ AppError::WrongToken) => {
            Err(PageError::NotSignedIn(Box::new(form(&filled.to, Some(&error)))))
        }
        Err(error) => Err(PageError::Refused(error)),
    }
}

/// Signs the browser in and leads it where it wanted to go: below this folder, so on no other host.
fn welcome(headers: &HeaderMap, session: &Secret, to: &str) -> Response {
    let is_https = headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https:"));
    let cookie = cookies::set_session(&cookies::session(headers), session, is_https);
    let mut response = Redirect::to(&back(to)).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Where somebody wanted to go, from here: whatever it says, it leads to no other host, and stays one line of a header.
fn back(to: &str) -> String {
    format!("./{}", utf8_percent_encode(to, UNWRITTEN))
}

/// The form, with what was wrong with what it brought last.
fn form(to: &str, error: Option<&AppError>) -> Response {
    let wrong = error
        .map_or_else(String::new, |error| format!("<p role=\"alert\">{}.</p>", escaped(&error.to_string())));
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Sign in – syclscope</title>\
         <main><h1>Sign in</h1>{wrong}<form method=\"post\" action=\"sign-in\">\
         <p><label for=\"token\">Your token</label><br>\
         <input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" size=\"40\" required \
         autofocus></p><input type=\"hidden\" name=\"to\" value=\"{}\">\
         <p><button>Sign in</button></p></form>\
         <p>Who runs this server makes tokens with <code>syclscope token create</code>.</p></main></html>",
        escaped(to)
    );
    let headers = [(header::CONTENT_SECURITY_POLICY, POLICY), (header::CACHE_CONTROL, "no-store")];
    (headers, Html(text)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_stays_on_this_host() {
        for (to, back_to) in [
            ("", "./"),
            ("t/a?v=graph&s=n1", "./t/a?v=graph&s=n1"),
            ("//evil.example/", ".///evil.example/"),
            ("https://evil.example/", "./https://evil.example/"),
            ("a\r\nset-cookie: b", "./a%0D%0Aset-cookie:%20b"),
            ("ä", "./%C3%A4"),
        ] {
            assert_eq!(back(to), back_to);
        }
    }
}
