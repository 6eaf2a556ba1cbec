//! Answers only to the server's own names.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;

use crate::app::{App, Hosts};
use crate::error::AppError;

pub(crate) async fn check(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, AppError> {
    if let Hosts::Only(names) = &app.hosts {
        let name = name_of(&request);
        if !names.contains(&name) {
            return Err(AppError::WrongHost(crate::text::printable(&name, 80)));
        }
    }
    Ok(next.run(request).await)
}

/// The name that a request was sent to, without port, in lower case; empty if it has none.
fn name_of(request: &Request) -> String {
    let header = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    let host = request.uri().host().or_else(|| header.map(without_port)).unwrap_or_default();
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// `example.org:80` → `example.org`, `[::1]:80` → `[::1]`
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_taken_off() {
        for (host, name) in
            [("a:80", "a"), ("a", "a"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"), ("a:", "a")]
        {
            assert_eq!(without_port(host), name);
        }
    }
}
