//! `/latest/{project}?label=key:value`: a stable URL that redirects to the newest trace of a project with
//! these labels. The rest of the query is the view's state. `…/summary.md` and `…/picture.svg` redirect to
//! those of the trace. Comparisons have a stable URL, too.

use std::sync::Arc;

use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse as _, Redirect, Response};

use super::{page, sign_in};
use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::{Anyone, Listing};
use crate::listing::ListQuery;
use crate::storage::{StorageError, TraceId};

/// Parameters that select the trace.
const CHOOSING: [&str; 2] = ["label", "program"];
/// Parameters of a summary, which select a part of the run.
const PART_OF_RUN: [&str; 4] = ["from", "to", "iterations", "region"];

pub(crate) async fn page(
    listing: Result<Listing, AppError>,
    State(app): State<Arc<App>>,
    Query(pairs): Query<Vec<(String, String)>>,
    RawQuery(query): RawQuery,
    uri: Uri,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let listing = match listing {
        Err(AppError::SignIn) if sign_in::is_here(&app) && page::is_navigation(&request) => {
            return Ok(sign_in::first(&uri));
        }
        listing => listing?,
    };
    let id = newest(&listing, &app, pairs).await?;
    let view = others(&query.unwrap_or_default(), |key| !CHOOSING.contains(&key));
    Ok(redirect(&format!("../t/{id}{view}")))
}

pub(crate) async fn markdown(
    listing: Listing,
    State(app): State<Arc<App>>,
    Query(pairs): Query<Vec<(String, String)>>,
    RawQuery(query): RawQuery,
) -> Result<Response, AppError> {
    let id = newest(&listing, &app, pairs).await?;
    // The page's own parameters, such as its view, have no meaning for a summary.
    let part = others(&query.unwrap_or_default(), |key| PART_OF_RUN.contains(&key));
    Ok(redirect(&format!("../../api/v1/traces/{id}/summary.md{part}")))
}

pub(crate) async fn picture(
    listing: Listing,
    State(app): State<Arc<App>>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response, AppError> {
    let id = newest(&listing, &app, pairs).await?;
    Ok(redirect(&format!("../../api/v1/traces/{id}/picture.svg")))
}

async fn newest(listing: &Listing, app: &App, mut pairs: Vec<(String, String)>) -> Result<String, AppError> {
    pairs.retain(|(key, _)| CHOOSING.contains(&key.as_str()));
    let list_query = listing.visible(app, ListQuery::read(&pairs)?).await?;
    let found = app.storage.list(&ListQuery { limit: 1, only_whole: true, ..list_query }).await?;
    found.into_iter().next().map(|trace| trace.id).ok_or(AppError::NoneYet)
}

/// Returns the parameters to pass on, unchanged, after a `?`; empty if there are none.
fn others(query: &str, is_passed_on: impl Fn(&str) -> bool) -> String {
    let is_passed_on = |part: &&str| is_passed_on(part.split('=').next().unwrap_or_default());
    let passed: Vec<&str> = query.split('&').filter(|part| !part.is_empty()).filter(is_passed_on).collect();
    let mark = if passed.is_empty() { "" } else { "?" };
    format!("{mark}{}", passed.join("&"))
}

/// Returns a temporary redirect, because the target changes.
fn redirect(to: &str) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], Redirect::temporary(to)).into_response()
}

/// `/compare/{a}/{b}`: redirects to the page of a trace with its comparison. The rest of the query is the view's state.
pub(crate) async fn comparison(
    Anyone(_): Anyone,
    Path((a, b)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, AppError> {
    let is_id = |text: &str| text.parse::<TraceId>().is_ok();
    if !is_id(&a) || !is_id(&b) {
        return Err(StorageError::NotFound.into());
    }
    let more = query.filter(|query| !query.is_empty()).map_or_else(String::new, |query| format!("&{query}"));
    Ok(redirect(&format!("../../t/{a}?v=compare&xb={b}{more}")))
}
