//! `GET /api/v1/traces/{id}/summary.md`, `…/summary.html` and `…/picture.svg`: a trace at a glance, at stable addresses, for
//! the comments of a CI, for paper and for wikis.

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;

use crate::app::App;
use crate::http::controllers::answer::work_out;
use crate::http::error::AppError;
use crate::http::extract::{Asker, OnTrace, acts::ReadTrace};
use crate::http::page::hash_source;
use syclscope_language::question::GapsQuestion;
use syclscope_report::overview::{self, HtmlContents};

/// The report loads nothing, and no page may frame it.
static REPORT_POLICY: LazyLock<String> = LazyLock::new(|| {
    let style = hash_source(overview::HTML_STYLE);
    format!(
        "default-src 'none'; style-src '{style}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
});

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

pub(crate) async fn html(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let name = stored.entry.name.clone();
    // From this address to that of the page, also below a link's secret.
    let view = format!("../../../../t/{}", stored.id);
    let report = work_out(&app, client, &stored, &request, "text/html; charset=utf-8", move |trace| {
        overview::html(&name, trace, &HtmlContents::of_run(trace)?, Some(&view))
    });
    let mut report = report.await?;
    let headers = report.headers_mut();
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("inline; filename=\"report.html\""));
    if let Ok(policy) = HeaderValue::from_str(&REPORT_POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(report)
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
