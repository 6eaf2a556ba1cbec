//! `GET /api/v1/traces/{id}/memory/{track}/{level}/{index}/{address_level}/{address_index}`: allocations as rectangles of
//! address and time.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::app::App;
use crate::controllers::answer::ask;
use crate::error::AppError;
use crate::extract::{MemoryPath, TracePath};

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    TracePath(stored): TracePath,
    MemoryPath(key): MemoryPath,
    request: HeaderMap,
) -> Result<Response, AppError> {
    ask(&app, &stored, &request, move |trace| trace.memory_tile(key)).await
}
