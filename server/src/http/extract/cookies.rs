//! Cookies: names and values. Scripts can't read them, and pages of other sites can't send them with a
//! change.

use axum::http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

use crate::auth::Secret;
use syclscope_system::id::Id;

/// Lifetime of an opened link's cookie in seconds, equal to that of a visit.
const VISIT_SECONDS: u64 = crate::db::links::VISIT_NS / 1_000_000_000;

pub(crate) fn values<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let cookies = cookies.flat_map(|value| value.split(';')).filter_map(|part| part.trim().split_once('='));
    cookies.filter(move |(key, _)| *key == name).map(|(_, value)| value)
}

pub(crate) fn names<'a>(headers: &'a HeaderMap, start: &'a str) -> impl Iterator<Item = &'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let names = cookies.flat_map(|value| value.split(';')).filter_map(|part| part.trim().split_once('='));
    names.map(|(name, _)| name).filter(move |name| name.starts_with(start))
}

/// Returns the name of the session cookie. Browsers share cookies between all ports of a host, so the port is
/// in the name; all replicas behind one proxy have the same.
pub(crate) fn session(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).map_or(&b""[..], |value| value.as_bytes());
    format!("syclscope-session-{}", start_of(host))
}

pub(crate) fn visit(link: &Id) -> String {
    format!("syclscope-visit-{}", start_of(link.as_str().as_bytes()))
}

fn start_of(text: &[u8]) -> String {
    Sha256::digest(text).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Sets a cookie for some seconds, which is also sent if a page of another site links here. It has no path, so it
/// applies to the folder of the URL that sets it: the server's as the browser sees it, whatever path a proxy adds.
pub(crate) fn set(name: &str, value: &str, seconds: u64, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    format!("{name}={value}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

pub(crate) fn clear(name: &str) -> String {
    format!("{name}=; Max-Age=0; HttpOnly; SameSite=Lax")
}

/// Sets a cookie that recognizes a browser that has opened a link. It grants nothing without the link, so it
/// may also be sent from a frame in a page of another site (`is_framed`), where it is partitioned by site.
/// Browsers accept such a cookie only over https.
pub(crate) fn set_visit(name: &str, visit: &Secret, is_https: bool, is_framed: bool) -> String {
    let reach = match (is_https, is_framed) {
        (true, true) => "SameSite=None; Secure; Partitioned",
        (true, false) => "SameSite=Lax; Secure",
        (false, _) => "SameSite=Lax",
    };
    format!("{name}={}; Path=/; Max-Age={VISIT_SECONDS}; HttpOnly; {reach}", visit.expose())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn values_are_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; key-1=c; d; key-2=f"));
        headers.append(header::COOKIE, HeaderValue::from_static("key-1=e"));
        assert_eq!(values(&headers, "key-1").collect::<Vec<_>>(), ["c", "e"]);
    }

    #[test]
    fn what_comes_back_from_frames_is_for_https() {
        let visit = Secret::random().unwrap();
        for (is_https, is_framed, reach) in [
            (false, false, "HttpOnly; SameSite=Lax"),
            (false, true, "HttpOnly; SameSite=Lax"),
            (true, false, "HttpOnly; SameSite=Lax; Secure"),
            (true, true, "HttpOnly; SameSite=None; Secure; Partitioned"),
        ] {
            let cookie = set_visit("a", &visit, is_https, is_framed);
            assert!(cookie.ends_with(reach), "{cookie}");
        }
    }

    #[test]
    fn servers_on_one_host_have_cookies_of_their_own() {
        let at = |host: &'static str| {
            session(&HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]))
        };
        assert_eq!(at("127.0.0.1:1"), at("127.0.0.1:1"));
        assert_ne!(at("127.0.0.1:1"), at("127.0.0.1:2"));
    }
}
