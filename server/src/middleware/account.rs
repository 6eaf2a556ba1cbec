//! Refuses requests of other accounts of this computer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};

use crate::access::{Access, Account, Peer};
use crate::app::App;
use crate::error::AppError;

/// The parameter of an address that brings the key; it becomes a cookie and leaves the address.
const PARAMETER: &str = "key";

pub(crate) async fn check(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, AppError> {
    let Access::Account(account) = &app.access else { return Ok(next.run(request).await) };
    if let Some((key, address)) = key_in(request.uri())
        && account.is_key(key)
    {
        let mut response = Redirect::to(&address).into_response();
        let cookie = format!("{}={key}; Path=/; HttpOnly; SameSite=Strict", account.cookie());
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        return Ok(response);
    }
    let peer = request.extensions().get::<Peer>().cloned().unwrap_or_default();
    if keys_of(request.headers(), account.cookie()).any(|key| account.is_key(key))
        || is_own(account.clone(), peer).await
    {
        return Ok(next.run(request).await);
    }
    Err(AppError::OtherAccount)
}

/// Whether the account holds this end of a connection.
async fn is_own(account: Account, peer: Peer) -> bool {
    tokio::task::spawn_blocking(move || account.holds(&peer)).await.unwrap_or(false)
}

/// The key that an address brings, and the address without it.
fn key_in(uri: &Uri) -> Option<(&str, String)> {
    let is_key = |part: &&str| part.split_once('=').is_some_and(|(name, _)| name == PARAMETER);
    let query = uri.query()?;
    let key = query.split('&').find(is_key)?.split_once('=')?.1;
    let rest: Vec<&str> = query.split('&').filter(|part| !is_key(part)).collect();
    let mark = if rest.is_empty() { "" } else { "?" };
    // Two strokes at the start would lead to another host, and browsers read both kinds as one.
    let path = uri.path().trim_start_matches(['/', '\\']);
    Some((key, format!("/{path}{mark}{}", rest.join("&"))))
}

/// The keys that cookies of a name bring.
fn keys_of<'a>(headers: &'a HeaderMap, cookie: &str) -> impl Iterator<Item = &'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let cookies = cookies.flat_map(|value| value.split(';')).filter_map(|part| part.trim().split_once('='));
    cookies.filter(move |(name, _)| *name == cookie).map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_leaves_the_address_and_nothing_else_does() {
        for (address, key, rest) in [
            ("/t/a?key=b", "b", "/t/a"),
            ("/t/a?v=graph&key=b&s=n1", "b", "/t/a?v=graph&s=n1"),
            ("//evil.example/?key=b", "b", "/evil.example/"),
            ("/\\evil.example/?key=b", "b", "/evil.example/"),
            ("/\\/\\//evil.example/?key=b", "b", "/evil.example/"),
        ] {
            let uri: Uri = address.parse().unwrap();
            assert_eq!(key_in(&uri), Some((key, rest.to_owned())), "{address}");
        }
        for address in ["/t/a", "/t/a?v=key", "/?keys=b"] {
            assert_eq!(key_in(&address.parse().unwrap()), None, "{address}");
        }
    }

    #[test]
    fn keys_are_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; key-1=c; d; key-2=f"));
        headers.append(header::COOKIE, HeaderValue::from_static("key-1=e"));
        assert_eq!(keys_of(&headers, "key-1").collect::<Vec<_>>(), ["c", "e"]);
    }
}
