//! `GET /api/v1/traces/{id}/{question}`: every other query of a trace (`docs/QUERIES.md`).

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::app::App;
use crate::http::controllers::answer::ask;
use crate::http::error::AppError;
use crate::http::extract::{Asker, OnTrace, ParsedQuery, acts::ReadTrace};

pub(crate) async fn show(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    ParsedQuery(question): ParsedQuery,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    ask(&app, client, &stored, &request, question).await
}
