//! Rate limit for changes of each client.
//!
//! Parts of an upload don't count, because the upload did. The owner of a local server has no limit.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::app::App;
use crate::auth::{Client, Principal};
use crate::http::error::{AppError, PageError};
use crate::http::extract::address;

/// Suffix of a part's path, after the path of its upload.
const PART: &str = "/parts/{number}";

pub(crate) async fn limit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let principal = request.extensions().get::<Principal>().unwrap_or(&Principal::Nobody);
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    if request.method().is_safe() || path.ends_with(PART) || *principal == Principal::Account {
        return next.run(request).await;
    }
    let client = Client::new(principal, address(&app, request.headers(), request.extensions()));
    let is_page = !path.starts_with("/api/");
    match app.rates.count(&client, Instant::now()).map_err(AppError::from) {
        Ok(()) => next.run(request).await,
        Err(error) if is_page => PageError::Refused(error).into_response(),
        Err(error) => error.into_response(),
    }
}
