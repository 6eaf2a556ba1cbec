//! `GET /api/v1/traces`: every trace, the newest first.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::AppError;
use crate::extract::Listing;

pub(crate) async fn list(
    listing: Listing,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let traces = app.storage.list(|project| listing.shows(project)).await?;
    Ok(([("cache-control", "no-store")], Json(traces)))
}
