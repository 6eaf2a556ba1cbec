//! Logs every request with its response, at the level debug.
//!
//! Logs the route, not the path, which may contain the secret of a link, even if it was put there by mistake.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Level;

pub(crate) async fn log(request: Request, next: Next) -> Response {
    if !tracing::enabled!(Level::DEBUG) {
        return next.run(request).await;
    }
    let (method, route) = (request.method().clone(), request.extensions().get::<MatchedPath>().cloned());
    let begun = Instant::now();
    let response = next.run(request).await;
    let (status, duration) = (response.status().as_u16(), begun.elapsed());
    let route = route.as_ref().map_or("no route", MatchedPath::as_str);
    tracing::debug!(%method, route, status, ?duration, "request");
    response
}
