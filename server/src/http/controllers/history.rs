//! `/history/{project}?label=key:value`: a page with the history of the project's traces, by program and machine, with
//! a link from each step to the comparison of its two traces. It has the list's filters.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, Uri, header};
use axum::response::{Html, IntoResponse as _, Response};

use super::{page, projects, sign_in};
use crate::app::App;
use crate::http::address::{folders, root_from};
use crate::http::error::{AppError, PageError};
use crate::http::extract::{Asker, InProject, acts::ListTraces};
use crate::http::static_page;
use crate::listing::history_page;

pub(crate) async fn page(
    guarded: Result<InProject<ListTraces>, AppError>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    Query(pairs): Query<Vec<(String, String)>>,
    uri: Uri,
    request: HeaderMap,
) -> Response {
    let is_wanted = page::is_wanted(&request);
    let root = root_from(folders(uri.path()));
    let filters: Vec<(String, String)> =
        pairs.iter().filter(|(name, value)| is_filter(name) && !value.is_empty()).cloned().collect();
    let answer = async {
        let InProject { project, .. } = guarded?;
        let histories = projects::history::of(&app, project.clone(), client, pairs).await?;
        Ok::<String, AppError>(history_page::html(project.as_str(), &filters, &histories, &root))
    };
    match answer.await {
        Ok(html) => {
            let headers = [
                (header::CONTENT_SECURITY_POLICY, static_page::policy()),
                (header::CACHE_CONTROL, "no-store"),
            ];
            (headers, Html(html)).into_response()
        }
        Err(AppError::SignIn) if sign_in::is_here(&app) && is_wanted => sign_in::first(&uri),
        // Programs get errors in the API's usual form.
        Err(error) if !is_wanted => error.into_response(),
        Err(error) => PageError::NoHistory { error, root }.into_response(),
    }
}

/// True if a parameter filters traces, as opposed to sorting or paging them.
fn is_filter(name: &str) -> bool {
    matches!(name, "q" | "label" | "program" | "from" | "to")
}
