//! `GET /api/v1/traces/{id}/summary.md`, `…/summary.html` and `…/picture.svg`: an overview of a trace at
//! stable URLs, for CI comments, for print and for wikis.

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;

use crate::app::App;
use crate::http::controllers::answer::work_out;
use crate::http::error::AppError;
use crate::http::extract::{Asker, OnTrace, ReportQuery, acts::ReadTrace};
use crate::http::page::hash_source;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::question::{
    GapsQuestion, PartOfRun, Question, RangedQuestion, ReportQuestion, Selection,
};
use syclscope_report::overview::{self, HtmlContents};
use syclscope_text::duration;

/// The report loads nothing, and no page may frame it.
static REPORT_POLICY: LazyLock<String> = LazyLock::new(|| {
    let style = hash_source(overview::HTML_STYLE);
    format!(
        "default-src 'none'; style-src '{style}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
});

/// Returns the range of a report and its description; `None` for the whole run.
fn part(trace: &Trace, ranged: &RangedQuestion) -> Result<(ReportQuestion, Option<String>), QueryError> {
    let Question::Report(question) = trace.question(ranged)? else { return Ok(Default::default()) };
    let times = PartOfRun { from_ns: question.from_ns, to_ns: question.to_ns, ..PartOfRun::WHOLE };
    let part = if ranged.part().is_whole() { &times } else { ranged.part() };
    Ok((question, Some(part.name(duration)).filter(|name| !name.is_empty())))
}

pub(crate) async fn markdown(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    ReportQuery(ranged): ReportQuery,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let name = stored.entry.name.clone();
    work_out(&app, client, &stored, &request, "text/markdown; charset=utf-8", move |trace| {
        let (range, part) = part(trace, &ranged)?;
        let ReportQuestion { from_ns, to_ns } = range;
        let limit = overview::MAX_STRETCHES;
        let gaps = trace.gaps(&GapsQuestion { from_ns, to_ns, limit, ..GapsQuestion::default() })?;
        let report = trace.report_within(&range);
        Ok(overview::markdown(&name, &trace.info(), &report, Some(&gaps), part.as_deref()))
    })
    .await
}

pub(crate) async fn html(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    ReportQuery(ranged): ReportQuery,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let name = stored.entry.name.clone();
    // From this URL to that of the page, also below a link's secret.
    let view = format!("../../../../t/{}", stored.id);
    let report = work_out(&app, client, &stored, &request, "text/html; charset=utf-8", move |trace| {
        let contents = match part(trace, &ranged)? {
            (_, None) => HtmlContents::of_run(trace)?,
            (ReportQuestion { from_ns, to_ns }, Some(words)) => {
                HtmlContents::of_part(trace, Selection { from_ns, to_ns, ..Selection::default() }, words)?
            }
        };
        overview::html(&name, trace, &contents, Some(&view))
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
