//! `DELETE /api/v1/traces/{id}/links/{link}`: revokes a link.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::auth::change;
use crate::db::{DbError, audit, links, now_unix_ns};
use crate::http::error::AppError;
use crate::http::extract::{Guard as _, LinkPath, OnTrace, acts::WithdrawLink};

type Guard = OnTrace<WithdrawLink>;

pub(crate) async fn withdraw(
    OnTrace { stored, principal, .. }: Guard,
    LinkPath(link): LinkPath,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    if !links::withdraw(&mut transaction, &stored.id, &link, now_unix_ns()).await? {
        return Err(AppError::NoSuchLink);
    }
    let to = Some(format!("to trace {}", stored.id));
    let line = change(&principal, Guard::ACTION, Some(stored.project.as_str()), link.as_str(), to);
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    app.rights_changed();
    Ok(StatusCode::NO_CONTENT)
}
