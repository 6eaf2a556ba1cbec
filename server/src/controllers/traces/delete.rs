//! `DELETE /api/v1/traces/{id}`: deletes a trace.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::error::AppError;
use crate::extract::TracePath;

pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    TracePath(stored): TracePath,
) -> Result<StatusCode, AppError> {
    app.storage.delete(&stored.id).await?;
    app.cache.forget(&stored.id);
    tracing::info!(id = %stored.id, name = ?stored.entry.name, "deleted a trace");
    Ok(StatusCode::NO_CONTENT)
}
