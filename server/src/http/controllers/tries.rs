//! `/tries`: a page with the ledger of `syclscope try` in the folder that `syclscope open` shows.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{Html, IntoResponse as _, Response};
use syclscope_report::trial::Ledger;

use super::{page, sign_in};
use crate::app::App;
use crate::http::address::{folders, root_from};
use crate::http::error::{AppError, PageError};
use crate::http::extract::Listing;
use crate::http::static_page;
use crate::listing::tries_page::{self, TriedRun};
use crate::storage::Stored;

pub(crate) async fn page(
    guarded: Result<Listing, AppError>,
    State(app): State<Arc<App>>,
    uri: Uri,
    request: HeaderMap,
) -> Response {
    let root = root_from(folders(uri.path()));
    let answer = async {
        guarded?;
        let found = app.storage.ledger().await?.ok_or(AppError::NoTries)?;
        let ledger = Ledger::read(&found.text)
            .map_err(|error| AppError::NotALedger { file: found.name.to_owned(), error })?;
        let run = |run: Stored| TriedRun { id: run.entry.id, path: run.entry.name };
        let runs: Vec<TriedRun> = found.runs.into_iter().map(run).collect();
        Ok::<String, AppError>(tries_page::html(&ledger, &runs, &root))
    };
    match answer.await {
        Ok(html) => {
            let headers = [
                (header::CONTENT_SECURITY_POLICY, static_page::policy()),
                (header::CACHE_CONTROL, "no-store"),
            ];
            (headers, Html(html)).into_response()
        }
        Err(AppError::SignIn) if sign_in::is_here(&app) && page::is_wanted(&request) => sign_in::first(&uri),
        // Programs get errors in the API's usual form.
        Err(error) if !page::is_wanted(&request) => error.into_response(),
        Err(error) => PageError::Refused(error).into_response(),
    }
}
