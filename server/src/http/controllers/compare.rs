//! `/compare/{a}/{b}`: redirects to the page of a trace with its comparison. The rest of the query is the view's state.

use axum::extract::{Path, RawQuery};
use axum::http::header;
use axum::response::{IntoResponse as _, Redirect, Response};

use crate::http::error::AppError;
use crate::http::extract::Anyone;
use crate::storage::{StorageError, TraceId};

pub(crate) async fn page(
    Anyone(_): Anyone,
    Path((a, b)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, AppError> {
    let is_id = |text: &str| text.parse::<TraceId>().is_ok();
    if !is_id(&a) || !is_id(&b) {
        return Err(StorageError::NotFound.into());
    }
    let more = query.filter(|query| !query.is_empty()).map_or_else(String::new, |query| format!("&{query}"));
    let place = format!("../../t/{a}?v=compare&xb={b}{more}");
    Ok(([(header::CACHE_CONTROL, "no-store")], Redirect::temporary(&place)).into_response())
}
