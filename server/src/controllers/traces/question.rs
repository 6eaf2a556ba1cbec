//! `GET /api/v1/traces/{id}/{question}`: every other question to a trace (`docs/QUERIES.md`).

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::app::App;
use crate::controllers::answer::ask;
use crate::error::AppError;
use crate::extract::{Asked, TracePath};

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    TracePath(stored): TracePath,
    Asked(question): Asked,
    request: HeaderMap,
) -> Result<Response, AppError> {
    ask(&app, &stored, &request, question).await
}
