//! Distinguishes the account that started the server from others on this computer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::app::App;
use crate::auth::{Access, Account, Peer};
use crate::http::address::{depth, root_from};
use crate::http::extract::cookies;

/// URL parameter with the key, which is moved to a cookie and removed from the URL.
const PARAMETER: &str = "key";
/// URL parameter with the original path, if the key was not sent to the application's folder.
const BACK: &str = "back";

/// Moves the key from a URL to a cookie.
pub(crate) async fn welcome(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let Access::Account(account) = &app.access else { return next.run(request).await };
    if let Some((key, rest)) = key_in(request.uri())
        && account.is_key(key)
    {
        let depth = depth(request.uri().path());
        if depth > 0 {
            return Redirect::to(&by_root(depth, key, request.uri().path(), &rest)).into_response();
        }
        let mut response = Redirect::to(&after(&rest)).into_response();
        // Without a path the cookie applies to the folder of this URL as the browser sees it, below whatever
        // path a proxy adds.
        let cookie = format!("{}={key}; HttpOnly; SameSite=Strict", account.cookie());
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        return response;
    }
    next.run(request).await
}

pub(super) async fn is_own(account: &Account, parts: &Parts) -> bool {
    if cookies::values(&parts.headers, account.cookie()).any(|key| account.is_key(key)) {
        return true;
    }
    let peer = parts.extensions.get::<Peer>().cloned().unwrap_or_default();
    let account = account.clone();
    tokio::task::spawn_blocking(move || account.holds(&peer)).await.unwrap_or(false)
}

/// Returns the key in a URL, and the rest of its query.
fn key_in(uri: &Uri) -> Option<(&str, String)> {
    let is_key = |part: &&str| part.split_once('=').is_some_and(|(name, _)| name == PARAMETER);
    let query = uri.query()?;
    let key = query.split('&').find(is_key)?.split_once('=')?.1;
    let rest: Vec<&str> = query.split('&').filter(|part| !is_key(part)).collect();
    Some((key, rest.join("&")))
}

/// Returns the URL of the application's folder, where the key becomes a cookie, with the way back to a path
/// below it.
fn by_root(depth: usize, key: &str, path: &str, query: &str) -> String {
    let back = format!("{}{}{query}", path.trim_start_matches('/'), if query.is_empty() { "" } else { "?" });
    let back = utf8_percent_encode(&back, NON_ALPHANUMERIC);
    format!("{}?{PARAMETER}={key}&{BACK}={back}", root_from(depth))
}

/// Returns the target after the application's folder: the way back, or the folder itself. It is relative, so
/// that it leads to no other host.
fn after(query: &str) -> String {
    match query.strip_prefix(BACK).and_then(|rest| rest.strip_prefix('=')) {
        Some(back) => format!("./{}", percent_decode_str(back).decode_utf8_lossy()),
        None if query.is_empty() => "./".to_owned(),
        None => format!("./?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_leaves_the_address_and_nothing_else_does() {
        for (address, by, to) in [
            ("/?key=b", "./?key=b&back=", "./"),
            ("/t/a?key=b", "../?key=b&back=t%2Fa", "./t/a"),
            ("/t/a?v=graph&key=b&s=n1", "../?key=b&back=t%2Fa%3Fv%3Dgraph%26s%3Dn1", "./t/a?v=graph&s=n1"),
            ("//evil.example/?key=b", "../../?key=b&back=evil%2Eexample%2F", "./evil.example/"),
            (
                "/\\/\\//evil.example/?key=b",
                "../../../../?key=b&back=%5C%2F%5C%2F%2Fevil%2Eexample%2F",
                "./\\/\\//evil.example/",
            ),
        ] {
            let uri: Uri = address.parse().unwrap();
            let (key, rest) = key_in(&uri).unwrap();
            let through = by_root(depth(uri.path()), key, uri.path(), &rest);
            assert_eq!(through, by, "{address}");
            let there: Uri =
                format!("/{}", through.trim_start_matches("../").trim_start_matches("./")).parse().unwrap();
            assert_eq!(after(&key_in(&there).unwrap().1), to, "{address}");
        }
        assert_eq!(after("file=a%20b"), "./?file=a%20b");
        for address in ["/t/a", "/t/a?v=key", "/?keys=b"] {
            assert_eq!(key_in(&address.parse().unwrap()), None, "{address}");
        }
    }
}
