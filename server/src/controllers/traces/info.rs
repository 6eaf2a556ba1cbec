//! `GET /api/v1/traces/{id}`: what is known of a trace before anything is drawn.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use syclscope_language::question::Question;

use crate::app::App;
use crate::controllers::answer::ask;
use crate::error::AppError;
use crate::extract::TracePath;

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    TracePath(stored): TracePath,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let mut response = ask(&app, &stored, &request, Question::Info).await?;
    // The first thing that a page asks: a deleted trace must not seem to be there.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}
