//! `POST /api/v1/uploads`: begins an upload in parts, or finds an unfinished one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use syclscope_language::api::{NewUpload, UploadAnswer};

use crate::app::App;
use crate::db::labels;
use crate::db::projects::{NotAProject, ProjectId};
use crate::http::error::AppError;
use crate::http::extract::{Naming, acts::Upload};
use crate::storage::{About, Announced, UploadStart};

const DIGITS: usize = 64;

pub(crate) async fn begin(
    naming: Naming<Upload>,
    State(app): State<Arc<App>>,
    body: Result<Json<NewUpload>, JsonRejection>,
) -> Result<Json<UploadAnswer>, AppError> {
    let Json(new) = body.map_err(|error| AppError::BadRequest(error.body_text()))?;
    if new.size_bytes == 0 {
        return Err(AppError::EmptyUpload);
    }
    let sha256 = new.sha256.map(|sha256| sha256.to_ascii_lowercase());
    let is_digest =
        |sha256: &String| sha256.len() == DIGITS && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !sha256.iter().all(is_digest) {
        return Err(AppError::BadRequest(format!("sha256 has {DIGITS} hexadecimal digits")));
    }
    labels::check(&new.labels).map_err(|error| AppError::BadRequest(error.to_string()))?;
    let project = new.project.map_or_else(|| Ok(ProjectId::default()), |project| project.parse());
    let project = project.map_err(|error: NotAProject| AppError::BadRequest(error.to_string()))?;
    let principal = naming.named(&app, &project).await?;
    let about = About { project, labels: new.labels, uploaded_by: principal.identity() };
    let announced = Announced { name: new.name, size_bytes: new.size_bytes, sha256, about };
    Ok(Json(match app.storage.hosted()?.announce(announced).await? {
        UploadStart::Upload(entry) => UploadAnswer::Open(entry),
        UploadStart::Existing(stored) => UploadAnswer::There(stored.entry),
    }))
}
