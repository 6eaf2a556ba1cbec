//! `GET /api/v1/projects/{project}/trends`: the main metrics of the project's newest matching traces, oldest first. It
//! has the list's filters (`label=key:value`, `program`, `q`, `from`, `to`, `limit`).

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use syclscope_language::api::{ListedTrace, TrendPoint};

use crate::app::App;
use crate::db::projects::ProjectId;
use crate::http::error::AppError;
use crate::http::extract::{InProject, acts::ListTraces};
use crate::listing::{ListQuery, MOST, NotAList, Order};

pub(crate) async fn list(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<Vec<TrendPoint>>, AppError> {
    let traces = app.storage.list(&newest(&app, project, pairs)?).await?;
    let mut points: Vec<TrendPoint> = traces.into_iter().filter_map(point).collect();
    points.reverse();
    Ok(Json(points))
}

/// The newest traces of a project for an address, as many as a list may have.
pub(super) fn newest(
    app: &App,
    project: ProjectId,
    mut pairs: Vec<(String, String)>,
) -> Result<ListQuery, NotAList> {
    let says_how_many = pairs.iter().any(|(key, _)| key == "limit");
    // Trends have one order.
    pairs.retain(|(key, _)| !matches!(key.as_str(), "sort" | "after"));
    let wanted = ListQuery::read(&pairs)?;
    let most = if says_how_many { wanted.most } else { MOST };
    let projects = app.db.is_some().then(|| vec![project]);
    Ok(ListQuery { projects, order: Order::default(), most, ..wanted })
}

/// A trace's main metrics, if known.
fn point(trace: ListedTrace) -> Option<TrendPoint> {
    let figures = trace.figures?;
    let busiest = figures.busiest.unwrap_or_default();
    Some(TrendPoint {
        id: trace.id,
        name: trace.name,
        stored_unix_ns: trace.stored_unix_ns,
        duration_ns: figures.duration_ns,
        busy_ns: figures.busy_ns,
        busiest_ns: busiest.total_ns,
        busiest: busiest.name,
    })
}
