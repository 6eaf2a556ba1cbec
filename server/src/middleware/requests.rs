//! Logs every request with its answer, at the level debug.
//!
//! Without the query: filters and names in it are the user's business.

use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use tracing::Level;

pub(crate) async fn log(request: Request, next: Next) -> Response {
    if !tracing::enabled!(Level::DEBUG) {
        return next.run(request).await;
    }
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let begun = Instant::now();
    let response = next.run(request).await;
    let (status, duration) = (response.status().as_u16(), begun.elapsed());
    tracing::debug!(%method, path, status, ?duration, "request");
    response
}
