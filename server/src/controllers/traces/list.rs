//! `GET /api/v1/traces`: every trace, the newest first.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::AppError;

pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<impl IntoResponse, AppError> {
    let traces = app.storage.list().await?;
    Ok(([("cache-control", "no-store")], Json(traces)))
}
