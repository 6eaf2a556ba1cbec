//! `POST /api/v1/uploads/{id}/complete`: all parts are sent; a copy of the server imports them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;

use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::{OnUpload, acts::Upload};

pub(crate) async fn complete(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let info = app.storage.hosted()?.complete(&id).await?;
    Ok((StatusCode::ACCEPTED, Json(info)))
}
