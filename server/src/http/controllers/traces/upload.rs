//! `POST /api/v1/traces?name=run.pftrace[&project=…][&label=key:value]…` with the file's bytes as the body:
//! stores a trace. A project stores each trace once: if it already has these bytes, the response is the
//! existing trace.
//!
//! The bytes are written to disk as they arrive. An upload becomes a trace only if it is complete, could be
//! imported and is durable; otherwise nothing is stored.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::app::App;
use crate::db::labels;
use crate::db::projects::NotAProject;
use crate::http::controllers::uploads;
use crate::http::error::AppError;
use crate::http::extract::{InProject, acts};
use crate::ingest::upload;
use crate::parameters;
use crate::storage::{About, StorageError, TraceId, UploadResult};

#[derive(Debug, Default, PartialEq)]
struct Parameters {
    name: String,
    about: About,
}

impl Parameters {
    fn read(pairs: Vec<(String, String)>) -> Result<Self, AppError> {
        parameters::check(&pairs, &["name", "project", "label"])?;
        let mut read = Self::default();
        for (key, value) in pairs {
            match key.as_str() {
                "name" => read.name = value,
                "project" => {
                    let project = value.parse();
                    read.about.project =
                        project.map_err(|error: NotAProject| AppError::BadRequest(error.to_string()))?;
                }
                "label" => {
                    let label =
                        labels::read(&value).map_err(|error| AppError::BadRequest(error.to_string()))?;
                    read.about.labels.extend([label]);
                }
                _ => {}
            }
        }
        labels::check(&read.about.labels).map_err(|error| AppError::BadRequest(error.to_string()))?;
        Ok(read)
    }
}

pub(crate) async fn upload(
    InProject { project, principal, .. }: InProject<acts::Upload>,
    State(app): State<Arc<App>>,
    Query(pairs): Query<Vec<(String, String)>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, AppError> {
    let Parameters { name, about } = Parameters::read(pairs)?;
    let about = About { project, uploaded_by: principal.identity(), ..about };
    let id = TraceId::random().map_err(StorageError::Io)?;
    let result = keep(&app, id, &name, about, &headers, body).await?;
    Ok(created_response(&result, "traces/"))
}

/// Returns the response for a stored trace. `traces` is the path from the request's URL to those of traces, because a
/// proxy may serve the server below any path.
pub(super) fn created_response(result: &UploadResult, traces: &str) -> Response {
    let (UploadResult::New(stored) | UploadResult::Existing(stored)) = result;
    let answer = ([(header::LOCATION, format!("{traces}{}", stored.id))], Json(stored.entry.clone()));
    match result {
        UploadResult::New(_) => (StatusCode::CREATED, answer).into_response(),
        UploadResult::Existing(_) => answer.into_response(),
    }
}

pub(super) async fn keep(
    app: &Arc<App>,
    id: TraceId,
    name: &str,
    about: About,
    headers: &HeaderMap,
    mut body: Body,
) -> Result<UploadResult, AppError> {
    let hosted = app.storage.hosted()?;
    hosted.check_room(&about.project, uploads::announced_bytes(headers).unwrap_or(0)).await?;
    let mut upload = hosted.begin(id, name).await?;
    uploads::receive(&mut upload, headers, &mut body).await?;
    upload::in_whole(app, hosted, upload, &about).await
}
