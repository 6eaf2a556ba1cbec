//! `GET /api/v1/traces`: matching traces among those visible to the client, newest first unless `sort=` is given.
//!
//! The filters are `id`, `q` (words), `label=key:value`, `program`, `project`, `whole`, `from` and `to` (days or
//! times). A response has at most `limit` traces. If it has that many, its header `Link` has the URL of the next page,
//! which may be empty.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::IntoResponse;
use percent_encoding::{CONTROLS, utf8_percent_encode};

use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::Listing;
use crate::ingest::file_metrics;
use crate::listing::{Cursor, ListQuery};

pub(crate) async fn list(
    listing: Listing,
    State(app): State<Arc<App>>,
    Query(pairs): Query<Vec<(String, String)>>,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, AppError> {
    let list_query = listing.visible(&app, ListQuery::read(&pairs)?).await?;
    let traces = app.storage.list(&list_query).await?;
    file_metrics::compute_missing(&app, &traces);
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(last) = traces.last().filter(|_| traces.len() == list_query.limit as usize) {
        let next = next(query.as_deref().unwrap_or_default(), &Cursor::behind(last, list_query.order));
        headers.extend(HeaderValue::from_str(&next).ok().map(|next| (header::LINK, next)));
    }
    Ok((headers, Json(traces)))
}

/// Returns the URL of the next page: the same with another `after=`, relative to this one.
fn next(query: &str, after: &Cursor) -> String {
    let same = query.split('&').filter(|part| !part.is_empty() && !part.starts_with("after="));
    let parts: Vec<String> = same.map(str::to_owned).chain([format!("after={after}")]).collect();
    let query = parts.join("&");
    // Some clients send letters beyond ASCII as they are, which headers can't have.
    format!("<traces?{}>; rel=\"next\"", utf8_percent_encode(&query, CONTROLS))
}
