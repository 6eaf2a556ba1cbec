//! `GET /api/v1/traces/{id}/slices/{slice}`: everything known of one slice.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::app::App;
use crate::controllers::answer::ask;
use crate::error::AppError;
use crate::extract::{SlicePath, TracePath};

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    TracePath(stored): TracePath,
    SlicePath(slice): SlicePath,
    request: HeaderMap,
) -> Result<Response, AppError> {
    ask(&app, &stored, &request, move |trace| trace.slice(slice)).await
}
