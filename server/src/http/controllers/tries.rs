//! `/tries`: a page with the ledger of `syclscope try` in the folder that `syclscope open` shows.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use syclscope_report::trial::Ledger;

use super::page;
use crate::app::App;
use crate::http::address::{depth, root_from};
use crate::http::error::{AppError, PageError};
use crate::http::extract::Listing;
use crate::listing::tries_page::{self, TriedRun};
use crate::storage::Stored;

pub(crate) async fn page(
    guarded: Result<Listing, AppError>,
    State(app): State<Arc<App>>,
    uri: Uri,
    request: HeaderMap,
) -> Response {
    let root = root_from(depth(uri.path()));
    let answer = async {
        guarded?;
        let found = app.storage.ledger().await?.ok_or(AppError::NoTries)?;
        let ledger = Ledger::read(&found.text)
            .map_err(|error| AppError::NotALedger { file: found.name.to_owned(), error })?;
        let run = |run: Stored| TriedRun { id: run.entry.id, path: run.entry.name };
        let runs: Vec<TriedRun> = found.runs.into_iter().map(run).collect();
        Ok::<String, AppError>(tries_page::html(&ledger, &runs, &root))
    };
    page::fresh(answer.await, &app, (&uri, &request), PageError::Refused)
}
