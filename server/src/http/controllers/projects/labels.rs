//! `GET /api/v1/projects/{project}/labels`: the labels' keys and values on the project's newest traces.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use syclscope_language::api::LabelKey;

use crate::app::App;
use crate::db::labels;
use crate::http::error::AppError;
use crate::http::extract::{InProject, acts::ListTraces};

pub(crate) async fn list(
    InProject { project, .. }: InProject<ListTraces>,
    State(app): State<Arc<App>>,
) -> Result<Json<Vec<LabelKey>>, AppError> {
    let connection = &mut *app.database()?.reading().await?;
    Ok(Json(labels::known(connection, &project).await?))
}
