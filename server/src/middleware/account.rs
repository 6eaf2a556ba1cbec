//! Refuses requests of other accounts of this computer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::access::{Access, Account, Peer};
use crate::address::{folders, root_from};
use crate::app::App;
use crate::error::AppError;

/// The parameter of an address that brings the key; it becomes a cookie and leaves the address.
const PARAMETER: &str = "key";
/// The one that says where the key was brought, where that is not the application's folder.
const BACK: &str = "back";

pub(crate) async fn check(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, AppError> {
    let Access::Account(account) = &app.access else { return Ok(next.run(request).await) };
    if let Some((key, rest)) = key_in(request.uri())
        && account.is_key(key)
    {
        let folders = folders(request.uri().path());
        if folders > 0 {
            return Ok(Redirect::to(&by_root(folders, key, request.uri().path(), &rest)).into_response());
        }
        let mut response = Redirect::to(&after(&rest)).into_response();
        // Without a path it is for the folder of this address as the browser sees it, below whatever path a proxy adds.
        let cookie = format!("{}={key}; HttpOnly; SameSite=Strict", account.cookie());
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

/// The key that an address brings, and what else is in its query.
fn key_in(uri: &Uri) -> Option<(&str, String)> {
    let is_key = |part: &&str| part.split_once('=').is_some_and(|(name, _)| name == PARAMETER);
    let query = uri.query()?;
    let key = query.split('&').find(is_key)?.split_once('=')?.1;
    let rest: Vec<&str> = query.split('&').filter(|part| !is_key(part)).collect();
    Some((key, rest.join("&")))
}

/// The application's folder, where the key becomes a cookie, with the way back to a path below it.
fn by_root(folders: usize, key: &str, path: &str, query: &str) -> String {
    let back = format!("{}{}{query}", path.trim_start_matches('/'), if query.is_empty() { "" } else { "?" });
    let back = utf8_percent_encode(&back, NON_ALPHANUMERIC);
    format!("{}?{PARAMETER}={key}&{BACK}={back}", root_from(folders))
}

/// Where to go from the application's folder: the way back, else there. It is relative, so that it leads to no other host.
fn after(query: &str) -> String {
    match query.strip_prefix(BACK).and_then(|rest| rest.strip_prefix('=')) {
        Some(back) => format!("./{}", percent_decode_str(back).decode_utf8_lossy()),
        None if query.is_empty() => "./".to_owned(),
        None => format!("./?{query}"),
    }
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
            let through = by_root(folders(uri.path()), key, uri.path(), &rest);
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

    #[test]
    fn keys_are_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; key-1=c; d; key-2=f"));
        headers.append(header::COOKIE, HeaderValue::from_static("key-1=e"));
        assert_eq!(keys_of(&headers, "key-1").collect::<Vec<_>>(), ["c", "e"]);
    }
}
