//! `GET /api/v1/mentions`: the newest comments that mention the client, on traces visible to them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use syclscope_language::api::Mention;

use crate::app::App;
use crate::db::comments;
use crate::db::projects::ProjectId;
use crate::http::error::AppError;
use crate::http::extract::Listing;

const LINES: u32 = 100;

pub(crate) async fn list(
    listing: Listing,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let mut lines = Vec::new();
    if let (Some(name), Some(db)) = (listing.name(), &app.db) {
        lines = comments::mentioning(&mut *db.reading().await?, name, LINES).await?;
    }
    let is_seen = |project: &str| project.parse().is_ok_and(|project: ProjectId| listing.shows(&project));
    let lines: Vec<Mention> =
        lines.into_iter().filter(|(project, _)| is_seen(project)).map(|(_, mention)| mention).collect();
    Ok(([("cache-control", "no-store")], Json(lines)))
}
