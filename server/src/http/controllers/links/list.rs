//! `GET /api/v1/traces/{id}/links`: the links to a trace, without their secrets.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use syclscope_language::api::LinkEntry;

use crate::app::App;
use crate::db::{links, now_unix_ns};
use crate::http::error::AppError;
use crate::http::extract::{OnTrace, acts::ListLinks};

pub(crate) async fn list(
    OnTrace { stored, .. }: OnTrace<ListLinks>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let rows = links::of(&mut *app.database()?.reading().await?, &stored.id).await?;
    let now = now_unix_ns();
    let entries: Vec<LinkEntry> = rows.iter().map(|row| row.entry_at(now)).collect();
    Ok(([("cache-control", "no-store")], Json(entries)))
}
