//! `GET /api/v1/projects/{project}/audit?before=UNIX_NS`: the audit log, newest first, a hundred entries at a
//! time.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Deserialize;

use crate::app::App;
use crate::auth::Action;
use crate::db::audit;
use crate::http::error::AppError;
use crate::http::extract::{CheckedQuery, InProject, Parameters, acts::ReadAudit};

const LINES: u32 = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct AuditQuery {
    before: Option<u64>,
}

impl Parameters for AuditQuery {
    const NAMES: &'static [&'static str] = &["before"];
}

pub(crate) async fn list(
    InProject { project, principal, .. }: InProject<ReadAudit>,
    State(app): State<Arc<App>>,
    CheckedQuery(AuditQuery { before }): CheckedQuery<AuditQuery>,
) -> Result<impl IntoResponse, AppError> {
    let connection = &mut *app.database()?.reading().await?;
    let and_general = principal.may_everywhere(Action::ReadAudit);
    let before = before.unwrap_or(u64::MAX);
    let lines = audit::list(connection, &project, and_general, before, LINES).await?;
    Ok(([("cache-control", "no-store")], Json(lines)))
}
