//! `PUT /api/v1/traces/{id}/pin`: exempts a trace from retention. `DELETE` removes the pin.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::auth::change;
use crate::db::{DbError, audit, retention};
use crate::http::error::AppError;
use crate::http::extract::{Guard as _, OnTrace, acts::ChangeTrace};
use crate::storage;

type Guard = OnTrace<ChangeTrace>;

pub(crate) async fn set(guard: Guard, State(app): State<Arc<App>>) -> Result<StatusCode, AppError> {
    pin(guard, &app, true).await
}

pub(crate) async fn remove(guard: Guard, State(app): State<Arc<App>>) -> Result<StatusCode, AppError> {
    pin(guard, &app, false).await
}

async fn pin(
    OnTrace { stored, principal, .. }: Guard,
    app: &App,
    is_pinned: bool,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    storage::still_there(&mut transaction, &stored.id).await?;
    if retention::pin(&mut transaction, &stored.id, is_pinned).await? {
        let detail = if is_pinned { "pinned" } else { "pin taken away" };
        let project = Some(stored.project.as_str());
        let line = change(&principal, Guard::ACTION, project, stored.id.as_str(), Some(detail.to_owned()));
        audit::add(&mut transaction, &line).await?;
        transaction.commit().await.map_err(DbError::from)?;
    }
    Ok(StatusCode::NO_CONTENT)
}
