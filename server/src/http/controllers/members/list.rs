//! `GET /api/v1/projects/{project}/members`: the members with their roles.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use syclscope_language::api::MemberEntry;

use crate::app::App;
use crate::db::members;
use crate::http::error::AppError;
use crate::http::extract::{InProject, acts::ListMembers};

pub(crate) async fn list(
    InProject { project, .. }: InProject<ListMembers>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let rows = members::of(&mut *app.database()?.reading().await?, &project).await?;
    let entries: Vec<MemberEntry> = rows.into_iter().map(|(name, role)| MemberEntry { name, role }).collect();
    Ok(([("cache-control", "no-store")], Json(entries)))
}
