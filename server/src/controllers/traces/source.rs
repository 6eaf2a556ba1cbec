//! `GET /api/v1/traces/{id}/sources/{source}`: the text of a source file.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::app::App;
use crate::controllers::answer::ask;
use crate::error::AppError;
use crate::extract::{SourcePath, TracePath};

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    TracePath(stored): TracePath,
    SourcePath(source): SourcePath,
    request: HeaderMap,
) -> Result<Response, AppError> {
    ask(&app, &stored, &request, move |trace| trace.source_text(source)).await
}
