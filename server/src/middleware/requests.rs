//! Logs every request with its answer, at the level debug.
//!
//! Without the query: filters and names in it are the user's business. The secret of a link is not written down.

use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use tracing::Level;

pub(crate) async fn log(request: Request, next: Next) -> Response {
    if !tracing::enabled!(Level::DEBUG) {
        return next.run(request).await;
    }
    let (method, path) = (request.method().clone(), without_secret(request.uri().path()));
    let begun = Instant::now();
    let response = next.run(request).await;
    let (status, duration) = (response.status().as_u16(), begun.elapsed());
    tracing::debug!(%method, path, status, ?duration, "request");
    response
}

/// A path with a link's secret left out, whatever shape it has: it may be mistyped by one letter.
fn without_secret(path: &str) -> String {
    let Some((before, rest)) = path.split_once("/s/") else { return path.to_owned() };
    let behind = rest.split_once('/').map_or("", |(_, behind)| behind);
    format!("{before}/s/…/{behind}")
}

#[cfg(test)]
mod tests {
    use super::without_secret;

    #[test]
    fn the_secret_of_a_link_is_left_out() {
        for (path, logged) in [
            ("/t/a", "/t/a"),
            ("/s/secret/t/a", "/s/…/t/a"),
            ("/s/secret", "/s/…/"),
            ("/s/secret/", "/s/…/"),
            ("/tools/s/secret/api/v1/traces", "/tools/s/…/api/v1/traces"),
            ("/s//secret", "/s/…/secret"),
        ] {
            assert_eq!(without_secret(path), logged);
        }
    }
}
