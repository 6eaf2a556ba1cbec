//! `GET /healthz`: success while the process runs. `GET /readyz`: success if it can do its work, or the
//! missing parts.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::Anyone;

/// Timeout, because a probe is about prompt responses.
const PATIENCE: Duration = Duration::from_secs(3);

pub(crate) async fn health(Anyone(_): Anyone) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-store")], "ok\n")
}

pub(crate) async fn ready(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    // The user's own files need nothing.
    let Ok(hosted) = app.storage.hosted() else { return Ok(said()) };
    let database = tokio::time::timeout(PATIENCE, hosted.db().check());
    let store = tokio::time::timeout(PATIENCE, hosted.check_store());
    let (database, store) = tokio::join!(database, store);
    let missing: Vec<&'static str> = [
        (!matches!(database, Ok(Ok(())))).then_some("database"),
        (!matches!(store, Ok(Ok(())))).then_some("store"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if missing.is_empty() { Ok(said()) } else { Err(AppError::NotReady(missing)) }
}

fn said() -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-store")], "ready\n")
}
