//! `/history/{project}?label=key:value`: a page of how the project's traces went, by program and machine, with a way from each step
//! to the comparison of the two traces at it. It is asked as the list is.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, Uri, header};
use axum::response::{Html, IntoResponse as _, Response};

use super::{page, projects, sign_in};
use crate::address::{folders, root_from};
use crate::app::App;
use crate::error::{AppError, FORM_POLICY};
use crate::extract::{Asker, InProject, acts::ListTraces};
use crate::listing::history_page;

pub(crate) async fn page(
    guarded: Result<InProject<ListTraces>, AppError>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    Query(pairs): Query<Vec<(String, String)>>,
    uri: Uri,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let InProject { project, .. } = match guarded {
        Err(AppError::SignIn) if sign_in::is_here(&app) && page::is_wanted(&request) => {
            return Ok(sign_in::first(&uri));
        }
        guarded => guarded?,
    };
    let histories = projects::history::of(&app, project.clone(), client, pairs).await?;
    let html = history_page::html(project.as_str(), &histories, &root_from(folders(uri.path())));
    let headers = [(header::CONTENT_SECURITY_POLICY, FORM_POLICY), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, Html(html)).into_response())
}
