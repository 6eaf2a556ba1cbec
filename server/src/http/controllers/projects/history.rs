//! `GET /api/v1/projects/{project}/history`: history of the main metrics of the project's matching traces, for each
//! program and machine, with the steps at which they changed. It has the same parameters as trends.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use syclscope_language::api::MachineHistory;

use super::trends::newest;
use crate::app::App;
use crate::auth::Client;
use crate::db::projects::ProjectId;
use crate::http::error::AppError;
use crate::http::extract::{Asker, InProject, acts::ListTraces};
use crate::listing::history;

pub(crate) async fn show(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<Vec<MachineHistory>>, AppError> {
    of(&app, project, client, pairs).await.map(Json)
}

/// The histories for an address, computed in the client's turn.
pub(in crate::http::controllers) async fn of(
    app: &App,
    project: ProjectId,
    client: Client,
    pairs: Vec<(String, String)>,
) -> Result<Vec<MachineHistory>, AppError> {
    let traces = app.storage.list(&newest(app, project, pairs)?).await?;
    let ids: Vec<String> = traces.iter().map(|trace| trace.id.clone()).collect();
    let samples = app.storage.samples(&ids).await?;
    Ok(app.questions.work_out(client, move || Ok(history::of(traces, &samples))).await?.answer)
}
