//! Rejects requests for other hosts, and those with ambiguous headers about client or host.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;
use crate::http::error::AppError;

pub(crate) async fn check(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, AppError> {
    if let Some(name) = repeated(request.headers()) {
        return Err(AppError::BadRequest(format!("the request has more than one {name} header")));
    }
    let name = name_of(&request);
    if !app.hosts.contains(&name) {
        return Err(AppError::WrongHost(syclscope_text::printable(&name, 80)));
    }
    Ok(next.run(request).await)
}

/// Returns a header relevant for access that occurs more than once: a proxy may have checked another
/// occurrence than we would.
fn repeated(headers: &HeaderMap) -> Option<HeaderName> {
    [header::HOST, header::ORIGIN, HeaderName::from_static("sec-fetch-site")]
        .into_iter()
        .find(|name| headers.get_all(name).iter().nth(1).is_some())
}

/// Returns the host of a request, without port, in lower case; empty if it names none.
fn name_of(request: &Request) -> String {
    let header = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    let host = request.uri().host().or_else(|| header.map(without_port)).unwrap_or_default();
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Maps `example.org:80` to `example.org`, and `[::1]:80` to `[::1]`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Hosts;

    #[test]
    fn a_name_that_others_can_make_is_no_host_of_ours() {
        let local = Hosts::local(["Traces.example".to_owned()]);
        let reachable = Hosts::reachable([]);
        for (host, by_local, by_reachable) in [
            ("localhost", true, true),
            ("127.0.0.1", true, true),
            ("traces.example", true, false),
            ("192.168.1.7", false, true),
            ("[fe80::1]", false, true),
            ("evil.example", false, false),
            ("", false, false),
        ] {
            assert_eq!(local.contains(host), by_local, "{host}");
            assert_eq!(reachable.contains(host), by_reachable, "{host}");
        }
    }

    #[test]
    fn ports_are_taken_off() {
        for (host, name) in
            [("a:80", "a"), ("a", "a"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"), ("a:", "a")]
        {
            assert_eq!(without_port(host), name);
        }
    }
}
