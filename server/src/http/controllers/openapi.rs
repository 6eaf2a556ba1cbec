//! `GET /api/v1/openapi.json`: description of the API. Tests compare it with the router's table and with responses.

use axum::http::header;
use axum::response::IntoResponse;

use crate::http::extract::Anyone;

const DOCUMENT: &str = include_str!("../openapi.json");

pub(crate) async fn show(Anyone(_): Anyone) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")], DOCUMENT)
}
