//! `/sign-in`: a form for a token, or a redirect to an identity provider; either begins a session. It is
//! plain HTML without scripts. The URL contains the requested page, to which the user returns.

pub(crate) mod provider;

use std::sync::Arc;

use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::app::App;
use crate::auth::{self, Access, SESSION_SECONDS, Secret};
use crate::http::address::{depth, root_from};
use crate::http::error::{AppError, FORM_POLICY, PageError};
use crate::http::extract::{Anyone, Tries, cookies};
use syclscope_text::escaped;

/// Characters that are invalid in a header.
const INVALID: &AsciiSet = &CONTROLS.add(b' ');

#[derive(Debug, Default, Deserialize)]
pub(crate) struct SignInQuery {
    /// The page to return to, relative to this one's folder.
    #[serde(default)]
    to: String,
    /// Present after a sign-out.
    out: Option<String>,
    /// Present for a sign-in with a token on a server with a provider.
    token: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Filled {
    token: String,
    #[serde(default)]
    to: String,
}

/// True if people sign in on this server.
pub(crate) fn is_here(app: &App) -> bool {
    app.access.has_sessions()
}

/// Redirects a request for a page to the sign-in.
pub(crate) fn first(uri: &Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let target = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    let up = root_from(depth(uri.path()));
    Redirect::to(&format!("{up}sign-in?to={}", utf8_percent_encode(&target, NON_ALPHANUMERIC)))
        .into_response()
}

pub(crate) async fn show(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Query(parameters): Query<SignInQuery>,
) -> Result<Response, PageError> {
    if !is_here(&app) {
        return Ok(AppError::NoSuchAddress.into_response());
    }
    if parameters.out.is_some() && app.access.has_people() {
        return Ok(signed_out());
    }
    if let Access::Oidc(provider) = &app.access
        && parameters.token.is_none()
    {
        return provider::begin(&app, provider, &headers, parameters.to).await;
    }
    Ok(form(&parameters.to, None))
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
        tries.look_up(&app, &token, auth::sign_in_with(db, &token)).await?.ok_or(AppError::WrongToken)
    };
    match session.await {
        Ok(session) => Ok(begin_session(&app, &headers, &session, SESSION_SECONDS, &filled.to)),
        Err(error @ AppError::WrongToken) => {
            Err(PageError::NotSignedIn(Box::new(form(&filled.to, Some(&error)))))
        }
        Err(error) => Err(PageError::Refused(error)),
    }
}

/// Signs the browser in and redirects it to its target, which is below this folder and so on no other host.
fn begin_session(app: &App, headers: &HeaderMap, session: &Secret, seconds: u64, to: &str) -> Response {
    let from = headers.get(header::ORIGIN).map(HeaderValue::as_bytes);
    let is_https = app.has_https() || from.is_some_and(|origin| origin.starts_with(b"https:"));
    let cookie = cookies::set(&cookies::session(headers), session.expose(), seconds, is_https);
    let mut response = Redirect::to(&back(to)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Returns the redirect to the target, relative to this URL. Whatever the target contains, the redirect stays
/// on this host and is one line of a header.
fn back(to: &str) -> String {
    format!("./{}", utf8_percent_encode(to, INVALID))
}

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
         <p>An administrator of this server creates tokens with <code>syclscope token create</code>.</p></main></html>",
        escaped(to)
    );
    plain(text)
}

/// Returns the page after a sign-out. Any other page would sign the user in again at once.
fn signed_out() -> Response {
    plain(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Signed out – syclscope</title>\
         <main><h1>You have signed out</h1><p><a href=\"sign-in\">Sign in again</a></p>\
         <p>The identity provider may still know this browser. On a computer that others use, sign out there, too.</p>\
         </main></html>"
            .to_owned(),
    )
}

fn plain(text: String) -> Response {
    let headers = [(header::CONTENT_SECURITY_POLICY, FORM_POLICY), (header::CACHE_CONTROL, "no-store")];
    (headers, Html(text)).into_response()
}

/// `POST /sign-out`: ends the session of this browser.
pub(crate) async fn sign_out(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let name = cookies::session(&headers);
    for secret in cookies::values(&headers, &name).filter_map(|text| Secret::parse(text).ok()) {
        auth::sign_out(app.database()?, &secret).await?;
        app.rights_changed();
    }
    // With a provider, the page would redirect to it, and the user would be signed in again at once.
    let goal = if app.access.has_people() { "./sign-in?out" } else { "./" };
    let mut response = Redirect::to(goal).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookies::clear(&name)) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
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
