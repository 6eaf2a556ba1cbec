//! `GET /api/v1/traces/{id}`: information that a page needs before it draws.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use syclscope_language::question::Question;

use crate::app::App;
use crate::http::controllers::answer::ask;
use crate::http::error::AppError;
use crate::http::extract::{Asker, OnTrace, acts::ReadTrace};

pub(crate) async fn show(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    ask(&app, client, &stored, &request, Question::Info).await
}
