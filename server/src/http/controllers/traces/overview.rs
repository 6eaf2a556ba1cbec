//! `GET /api/v1/traces/{id}/summary.md` and `…/picture.svg`: a trace at a glance, at stable addresses, for the comments
//! of a CI and for wikis.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

use crate::app::App;
use crate::http::controllers::answer::work_out;
use crate::http::error::AppError;
use crate::http::extract::{Asker, OnTrace, acts::ReadTrace};
use syclscope_language::question::GapsQuestion;
use syclscope_report::overview;

pub(crate) async fn markdown(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let name = stored.entry.name.clone();
    work_out(&app, client, &stored, &request, "text/markdown; charset=utf-8", move |trace| {
        let question = GapsQuestion { limit: overview::STRETCHES, ..GapsQuestion::default() };
        let gaps = trace.gaps(&question)?;
        Ok(overview::markdown(&name, &trace.info(), &trace.report(), Some(&gaps), false))
    })
    .await
}

pub(crate) async fn picture(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let name = stored.entry.name.clone();
    let picture = work_out(&app, client, &stored, &request, "image/svg+xml", move |trace| {
        Ok(overview::picture(&name, trace)?.svg())
    });
    let mut picture = picture.await?;
    if app.frames.are_allowed() {
        // Other sites may embed this page, so they may also embed its pictures.
        let everywhere = HeaderValue::from_static("cross-origin");
        picture.headers_mut().insert(HeaderName::from_static("cross-origin-resource-policy"), everywhere);
    }
    Ok(picture)
}
