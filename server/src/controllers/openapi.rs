//! `GET /api/v1/openapi.json`: what the interface takes and answers, for programs. Tests compare it with the router's table and with
//! answers.

use axum::http::header;
use axum::response::IntoResponse;

use crate::extract::Anyone;

/// The document.
const DOCUMENT: &str = include_str!("../openapi.json");

pub(crate) async fn show(Anyone(_): Anyone) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")], DOCUMENT)
}
