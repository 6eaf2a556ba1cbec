//! `GET /api/v1/projects`: the projects whose traces are visible to the client, with their quota use.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use syclscope_language::api::ProjectEntry;

use super::show::entry;
use crate::app::App;
use crate::db::projects;
use crate::http::error::AppError;
use crate::http::extract::Listing;

pub(crate) async fn list(
    listing: Listing,
    State(app): State<Arc<App>>,
) -> Result<Json<Vec<ProjectEntry>>, AppError> {
    let Some(db) = &app.db else { return Ok(Json(Vec::new())) };
    let connection = &mut *db.reading().await?;
    let mut entries = Vec::new();
    for project in projects::all(connection).await? {
        if listing.shows(&project.id) {
            entries.push(entry(connection, project).await?);
        }
    }
    Ok(Json(entries))
}
