//! `GET /api/v1/health`: the server's version, and its upload limit.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Serialize;
use syclscope_language::api::API_VERSION;

use crate::app::App;
use crate::http::extract::Anyone;

#[derive(Debug, Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    api_version: u32,
    /// Upload limit; null if the server accepts none.
    max_upload_bytes: Option<u64>,
    /// True if `/tries` shows a ledger of `syclscope try`.
    has_tries: bool,
}

pub(crate) async fn show(Anyone(_): Anyone, State(app): State<Arc<App>>) -> impl IntoResponse {
    let health = Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        api_version: API_VERSION,
        max_upload_bytes: app.storage.upload_limit_bytes(),
        has_tries: app.storage.has_ledger().await,
    };
    ([("cache-control", "no-store")], Json(health))
}
