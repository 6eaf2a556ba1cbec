//! `GET /api/v1/projects/{project}`: a project's limits and quota use.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use syclscope_language::api::ProjectEntry;

use crate::app::App;
use crate::db::projects::{self, Project, Use};
use crate::db::{Connection, DbError};
use crate::http::error::AppError;
use crate::http::extract::{InProject, acts::ListTraces};
use crate::storage::GRACE_DAYS;

pub(crate) async fn show(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
) -> Result<Json<ProjectEntry>, AppError> {
    let connection = &mut *app.database()?.reading().await?;
    let found = projects::find(connection, &project).await?.ok_or(AppError::NoSuchProject)?;
    Ok(Json(entry(connection, found).await?))
}

/// Public fields of a project.
pub(super) async fn entry(connection: &mut Connection, project: Project) -> Result<ProjectEntry, DbError> {
    let Use { traces, bytes } = projects::used(connection, &project.id).await?;
    Ok(ProjectEntry {
        id: project.id.to_string(),
        name: project.name,
        traces,
        used_bytes: bytes,
        quota_bytes: project.quota_bytes,
        retention_days: project.retention_days,
        grace_days: GRACE_DAYS,
    })
}
