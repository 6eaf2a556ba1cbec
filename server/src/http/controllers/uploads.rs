//! Uploads in parts.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use http_body_util::BodyExt as _;
use syclscope_language::api::{NewUpload, UploadAnswer};

use crate::app::App;
use crate::db::labels;
use crate::db::projects::{NotAProject, ProjectId};
use crate::http::error::AppError;
use crate::http::extract::acts::Upload;
use crate::http::extract::{Naming, OnUpload, PartPath};
use crate::storage::{self, About, Announced, StorageError, UploadStart};

const DIGITS: usize = 64;

/// `POST /api/v1/uploads`: begins an upload in parts, or finds an unfinished one.
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
        return Err(AppError::BadRequest(format!("sha256 must have {DIGITS} hexadecimal digits")));
    }
    labels::check(&new.labels).map_err(|error| AppError::BadRequest(error.to_string()))?;
    let project = new.project.map_or_else(|| Ok(ProjectId::default()), |project| project.parse());
    let project = project.map_err(|error: NotAProject| AppError::BadRequest(error.to_string()))?;
    let principal = naming.check(&app, &project).await?;
    let about = About { project, labels: new.labels, uploaded_by: principal.identity() };
    let announced = Announced { name: new.name, size_bytes: new.size_bytes, sha256, about };
    Ok(Json(match app.storage.hosted()?.announce(announced).await? {
        UploadStart::Upload(entry) => UploadAnswer::Open(entry),
        UploadStart::Existing(stored) => UploadAnswer::There(stored.entry),
    }))
}

/// `GET /api/v1/uploads/{id}`: state and stored parts of an upload.
pub(crate) async fn show(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let info = app.storage.hosted()?.upload(&id).await?;
    Ok(([("cache-control", "no-store")], Json(info)))
}

/// `PUT /api/v1/uploads/{id}/parts/{number}` stores the part in the body. Sending a part again replaces it.
pub(crate) async fn put_part(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
    PartPath(number): PartPath,
    headers: HeaderMap,
    mut sent: Body,
) -> Result<StatusCode, AppError> {
    let hosted = app.storage.hosted()?;
    let (mut part, expected) = hosted.begin_part(&id, number).await?;
    // The limit of a part is its size, not a setting of the server.
    let received = receive(&mut part, &headers, &mut sent).await;
    let is_too_large = matches!(received, Err(AppError::Storage(StorageError::TooLarge { .. })));
    if is_too_large || received.is_ok() && part.size_bytes() != expected {
        return Err(AppError::BadRequest(format!("part {number} must have {expected} bytes")));
    }
    received?;
    hosted.keep_part(&id, number, part).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/uploads/{id}/complete`: all parts are sent; a replica imports them.
pub(crate) async fn complete(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let info = app.storage.hosted()?.complete(&id).await?;
    Ok((StatusCode::ACCEPTED, Json(info)))
}

/// `DELETE /api/v1/uploads/{id}`: drops an upload in parts.
pub(crate) async fn cancel(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    app.storage.hosted()?.drop_upload(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Optional header with the SHA-256 of the bytes in hexadecimal. A mismatch is rejected.
const DIGEST: &str = "x-content-sha256";

pub(super) fn announced_bytes(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Writes the body of an upload to disk as it arrives, in constant memory.
pub(super) async fn receive(
    upload: &mut storage::Upload,
    headers: &HeaderMap,
    body: &mut Body,
) -> Result<(), AppError> {
    if let Some(size_bytes) = announced_bytes(headers) {
        upload.announce(size_bytes)?;
    }
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| AppError::BrokenOff)?;
        if let Ok(bytes) = frame.into_data() {
            upload.append(&bytes).await?;
        }
    }
    let announced = headers.get(DIGEST).map(|value| value.to_str().unwrap_or_default());
    if announced.is_some_and(|announced| !announced.eq_ignore_ascii_case(&upload.sha256())) {
        return Err(StorageError::OtherDigest.into());
    }
    Ok(upload.flush().await?)
}
