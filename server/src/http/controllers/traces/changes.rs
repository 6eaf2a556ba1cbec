//! Deletion, pin and labels of a trace.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use syclscope_language::api::NewLabel;

use crate::app::App;
use crate::auth::change;
use crate::db::labels::{self, Labels};
use crate::db::{DbError, audit, figures, retention};
use crate::http::error::AppError;
use crate::http::extract::{
    Body, Guard as _, KeyPath, OnTrace,
    acts::{ChangeTrace, DeleteTrace},
};
use crate::storage;

/// `DELETE /api/v1/traces/{id}`: deletes a trace.
pub(crate) async fn delete(
    OnTrace { stored, principal, .. }: OnTrace<DeleteTrace>,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let (project, name) = (stored.project.as_str(), stored.entry.name.clone());
    let line =
        change(&principal, OnTrace::<DeleteTrace>::ACTION, Some(project), stored.id.as_str(), Some(name));
    app.storage.delete(&stored.id, &line).await?;
    app.cache.forget(&stored.id);
    // Links to parts of it end, too.
    app.rights_changed();
    tracing::info!(id = %stored.id, name = ?stored.entry.name, "deleted a trace");
    Ok(StatusCode::NO_CONTENT)
}

type Guard = OnTrace<ChangeTrace>;

/// `PUT /api/v1/traces/{id}/pin`: exempts a trace from retention. `DELETE` removes the pin.
pub(crate) async fn pin(guard: Guard, State(app): State<Arc<App>>) -> Result<StatusCode, AppError> {
    set_pin(guard, &app, true).await
}

pub(crate) async fn unpin(guard: Guard, State(app): State<Arc<App>>) -> Result<StatusCode, AppError> {
    set_pin(guard, &app, false).await
}

async fn set_pin(
    OnTrace { stored, principal, .. }: Guard,
    app: &App,
    is_pinned: bool,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    storage::still_there(&mut transaction, &stored.id).await?;
    if retention::pin(&mut transaction, &stored.id, is_pinned).await? {
        let detail = if is_pinned { "pinned" } else { "pin removed" };
        let project = Some(stored.project.as_str());
        let line = change(&principal, Guard::ACTION, project, stored.id.as_str(), Some(detail.to_owned()));
        audit::add(&mut transaction, &line).await?;
        transaction.commit().await.map_err(DbError::from)?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// `PUT /api/v1/traces/{id}/labels/{key}` with `{"value": "…"}`: sets a label of a trace. `DELETE` removes it, and
/// succeeds if there is none.
pub(crate) async fn set_label(
    OnTrace { stored, principal, .. }: Guard,
    KeyPath(key): KeyPath,
    State(app): State<Arc<App>>,
    Body(NewLabel { value }): Body<NewLabel>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    storage::still_there(&mut transaction, &stored.id).await?;
    let mut all = labels::on_trace(&mut transaction, &stored.id).await?;
    all.insert(key.clone(), value.clone());
    let detail = format!("label {key}={value}");
    let new = Labels::from([(key, value)]);
    let checked = labels::check(&new).and_then(|()| labels::check_number(all.len()));
    checked.map_err(|error| AppError::BadRequest(error.to_string()))?;
    labels::set(&mut transaction, &stored.id, &new).await?;
    figures::follow_labels(&mut transaction, &stored.id).await?;
    let project = Some(stored.project.as_str());
    let line = change(&principal, Guard::ACTION, project, stored.id.as_str(), Some(detail));
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn remove_label(
    OnTrace { stored, principal, .. }: Guard,
    KeyPath(key): KeyPath,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    storage::still_there(&mut transaction, &stored.id).await?;
    if labels::remove(&mut transaction, &stored.id, &key).await? {
        figures::follow_labels(&mut transaction, &stored.id).await?;
        let (project, detail) = (Some(stored.project.as_str()), Some(format!("label {key} removed")));
        let line = change(&principal, Guard::ACTION, project, stored.id.as_str(), detail);
        audit::add(&mut transaction, &line).await?;
        transaction.commit().await.map_err(DbError::from)?;
    }
    Ok(StatusCode::NO_CONTENT)
}
