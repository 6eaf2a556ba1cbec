//! `DELETE /api/v1/uploads/{id}`: drops an upload in parts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::{OnUpload, acts::Upload};

pub(crate) async fn cancel(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    app.storage.hosted()?.drop_upload(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
