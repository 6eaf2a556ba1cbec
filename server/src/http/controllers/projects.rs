use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use syclscope_language::api::{
    LabelKey, ListedTrace, MachineHistory, ProjectChange, ProjectEntry, TrendPoint,
};
use tokio::runtime::Handle;

use crate::app::App;
use crate::auth::{Client, change as changed};
use crate::db::projects::{self, NotAChange, Project, ProjectId, Use};
use crate::db::{Connection, DbError, audit, labels};
use crate::http::error::AppError;
use crate::http::extract::{
    Asker, Body, Guard as _, InProject, Listing,
    acts::{ChangeProject, ListTraces},
};
use crate::listing::{ListQuery, MAX_TRACES, NotAList, Order, history};
use crate::storage::GRACE_DAYS;

/// `GET /api/v1/projects`: the projects whose traces are visible to the client, with their usage.
pub(crate) async fn list(
    listing: Listing,
    State(app): State<Arc<App>>,
) -> Result<Json<Vec<ProjectEntry>>, AppError> {
    let Some(db) = &app.db else { return Ok(Json(Vec::new())) };
    let connection = &mut *db.reading().await?;
    let mut entries = Vec::new();
    for project in projects::all(connection).await? {
        if listing.shows(&project.id) {
            entries.push(entry(connection, project).await?);
        }
    }
    Ok(Json(entries))
}

/// `GET /api/v1/projects/{project}`: a project's limits and usage.
pub(crate) async fn show(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
) -> Result<Json<ProjectEntry>, AppError> {
    let connection = &mut *app.database()?.reading().await?;
    let found = projects::find(connection, &project).await?.ok_or(AppError::NoSuchProject)?;
    Ok(Json(entry(connection, found).await?))
}

async fn entry(connection: &mut Connection, project: Project) -> Result<ProjectEntry, DbError> {
    let Use { traces, bytes } = projects::usage(connection, &project.id).await?;
    Ok(ProjectEntry {
        id: project.id.to_string(),
        name: project.name,
        traces,
        used_bytes: bytes,
        quota_bytes: project.quota_bytes,
        retention_days: project.retention_days,
        grace_days: GRACE_DAYS,
    })
}

type Guard = InProject<ChangeProject>;

/// `PUT /api/v1/projects/{project}`: changes a project's name and limits; omitted fields stay.
pub(crate) async fn change(
    InProject { project, principal, .. }: Guard,
    State(app): State<Arc<App>>,
    Body(change): Body<ProjectChange>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    // Another change at the same time would write its old values over these.
    projects::hold(&mut transaction, &project).await?;
    let found = projects::find(&mut transaction, &project).await?.ok_or(AppError::NoSuchProject)?;
    let (now, description) =
        found.with(&change).map_err(|error: NotAChange| AppError::BadRequest(error.to_string()))?;
    if !description.is_empty() {
        projects::change(&mut transaction, &now).await?;
        let name = project.as_str();
        let line = changed(&principal, Guard::ACTION, Some(name), name, Some(description));
        audit::add(&mut transaction, &line).await?;
        transaction.commit().await.map_err(DbError::from)?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /api/v1/projects/{project}/labels`: keys and values of the labels on the project's newest traces.
pub(crate) async fn labels(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
) -> Result<Json<Vec<LabelKey>>, AppError> {
    let connection = &mut *app.database()?.reading().await?;
    Ok(Json(labels::keys(connection, &project).await?))
}

/// `GET /api/v1/projects/{project}/trends`: the main metrics of the project's newest matching traces, oldest first. It
/// has the list's filters (`label=key:value`, `program`, `q`, `from`, `to`, `limit`).
pub(crate) async fn trends(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<Vec<TrendPoint>>, AppError> {
    let traces = app.storage.list(&newest(&app, project, pairs)?).await?;
    let mut points: Vec<TrendPoint> = traces.into_iter().filter_map(point).collect();
    points.reverse();
    Ok(Json(points))
}

/// Returns the list query for the newest runs of a project, from a URL's parameters. Without `limit`, the
/// query has the maximum limit of a list.
fn newest(app: &App, project: ProjectId, mut pairs: Vec<(String, String)>) -> Result<ListQuery, NotAList> {
    let says_how_many = pairs.iter().any(|(key, _)| key == "limit");
    // Trends have a fixed order.
    pairs.retain(|(key, _)| !matches!(key.as_str(), "sort" | "after"));
    let query = ListQuery::read(&pairs)?;
    let limit = if says_how_many { query.limit } else { MAX_TRACES };
    let projects = app.db.is_some().then(|| vec![project]);
    Ok(ListQuery { projects, order: Order::default(), limit, only_whole: true, ..query })
}

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

/// `GET /api/v1/projects/{project}/history`: history of the main metrics of the project's matching traces,
/// for each program and machine, with the change points. It has the same parameters as trends.
pub(crate) async fn history(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<Vec<MachineHistory>>, AppError> {
    histories(&app, project, client, pairs).await.map(Json)
}

/// Computes the histories for a URL in the client's turn.
pub(super) async fn histories(
    app: &Arc<App>,
    project: ProjectId,
    client: Client,
    pairs: Vec<(String, String)>,
) -> Result<Vec<MachineHistory>, AppError> {
    let traces = app.storage.list(&newest(app, project, pairs)?).await?;
    let ids: Vec<String> = traces.iter().map(|trace| trace.id.clone()).collect();
    let own = Arc::clone(app);
    // Samples of many runs are megabytes, so they are read in the turn: waiting requests keep none in memory.
    let work = move || {
        let samples = Handle::current().block_on(own.storage.samples(&ids));
        Ok(samples.map(|samples| history::histories(traces, samples)))
    };
    Ok(app.questions.work_out(client, work).await?.answer?)
}
