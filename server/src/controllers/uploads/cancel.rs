//! `DELETE /api/v1/uploads/{id}`: drops an upload in parts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::error::AppError;
use crate::extract::UploadPath;

pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    UploadPath(id): UploadPath,
) -> Result<StatusCode, AppError> {
    app.storage.hosted()?.drop_upload(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
