//! `POST /api/v1/uploads/{id}/complete`: all parts are there; a copy of the server makes a trace of them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::AppError;
use crate::extract::UploadPath;

pub(crate) async fn complete(
    State(app): State<Arc<App>>,
    UploadPath(id): UploadPath,
) -> Result<impl IntoResponse, AppError> {
    let info = app.storage.hosted()?.complete(&id).await?;
    Ok((StatusCode::ACCEPTED, Json(info)))
}
