//! `/history/{project}?label=key:value`: a page with the history of the project's traces, by program and
//! machine, which links each change point to the comparison of its two traces. It has the list's filters.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;

use super::{page, projects};
use crate::app::App;
use crate::http::address::{depth, root_from};
use crate::http::error::{AppError, PageError};
use crate::http::extract::{Asker, InProject, acts::ListTraces};
use crate::listing::history_page;

pub(crate) async fn page(
    guarded: Result<InProject<ListTraces>, AppError>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    Query(pairs): Query<Vec<(String, String)>>,
    uri: Uri,
    request: HeaderMap,
) -> Response {
    let root = root_from(depth(uri.path()));
    let filters: Vec<(String, String)> =
        pairs.iter().filter(|(name, value)| is_filter(name) && !value.is_empty()).cloned().collect();
    let answer = async {
        let InProject { project, .. } = guarded?;
        let histories = projects::histories(&app, project.clone(), client, pairs).await?;
        let project = app.db.is_some().then(|| project.as_str());
        Ok::<String, AppError>(history_page::html(project, &filters, &histories, &root))
    };
    page::fresh(answer.await, &app, (&uri, &request), |error| PageError::NoHistory { error, root })
}

/// True if a parameter filters traces, as opposed to sorting or paging them.
fn is_filter(name: &str) -> bool {
    matches!(name, "q" | "label" | "program" | "from" | "to")
}
