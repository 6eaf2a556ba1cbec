//! `GET /api/v1/uploads/{id}`: state and stored parts of an upload.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;

use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::{OnUpload, acts::Upload};

pub(crate) async fn show(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let info = app.storage.hosted()?.upload(&id).await?;
    Ok(([("cache-control", "no-store")], Json(info)))
}
