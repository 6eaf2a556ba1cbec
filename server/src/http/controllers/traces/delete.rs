//! `DELETE /api/v1/traces/{id}`: deletes a trace.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::auth::change;
use crate::http::error::AppError;
use crate::http::extract::{Guard as _, OnTrace, acts::DeleteTrace};

type Guard = OnTrace<DeleteTrace>;

pub(crate) async fn delete(
    OnTrace { stored, principal, .. }: Guard,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let (project, name) = (stored.project.as_str(), stored.entry.name.clone());
    let line = change(&principal, Guard::ACTION, Some(project), stored.id.as_str(), Some(name));
    app.storage.delete(&stored.id, &line).await?;
    app.cache.forget(&stored.id);
    // Links to parts of it end, too.
    app.rights_changed();
    tracing::info!(id = %stored.id, name = ?stored.entry.name, "deleted a trace");
    Ok(StatusCode::NO_CONTENT)
}
