//! `POST /api/v1/traces?name=run.pftrace` with the file's bytes as the body: stores a trace.
//!
//! The bytes go to the disk as they come. An upload becomes a trace only when it is complete, could be imported and is
//! safely on the disk; of any other the server keeps nothing.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use http_body_util::BodyExt as _;
use serde::Deserialize;
use syclscope_language::api::TraceEntry;

use crate::app::{App, with_storage};
use crate::error::AppError;
use crate::loading::Original;
use crate::storage::{StorageError, Upload, Version};

/// How long the server reads the rest of a refused upload: a client that is still sending would otherwise see a broken
/// connection instead of the answer.
const DRAIN_TIME: Duration = Duration::from_secs(20);

#[derive(Debug, Deserialize)]
pub(crate) struct Parameters {
    /// File name to show to people.
    #[serde(default)]
    name: String,
}

pub(crate) async fn upload(
    State(app): State<Arc<App>>,
    Query(parameters): Query<Parameters>,
    headers: HeaderMap,
    mut body: Body,
) -> Result<impl IntoResponse, AppError> {
    let name = parameters.name;
    let mut upload = match with_storage(&app, move |app| app.storage.begin_upload(&name)).await {
        Ok(upload) => upload,
        Err(error) => {
            drain(body).await;
            return Err(error);
        }
    };
    if let Err(error) = receive(&mut upload, &headers, &mut body).await {
        drop(upload);
        drain(body).await;
        return Err(error);
    }
    if upload.size_bytes() == 0 {
        return Err(AppError::EmptyUpload);
    }
    let original = Original::uploaded(upload.path());
    let import = move |budget| original.import(budget);
    let import = app.cache.get(upload.id(), &Version::Only, upload.size_bytes(), || None, import);
    if let Err(error) = import.await {
        let name = upload.name().to_owned();
        return Err(AppError::Load { name, error });
    }
    let id = upload.id().clone();
    let kept = with_storage(&app, move |app| app.storage.keep(upload)).await;
    let stored = kept.inspect_err(|_| app.cache.forget(&id))?;
    let TraceEntry { name, size_bytes, .. } = &stored.entry;
    tracing::info!(%id, ?name, size_bytes, "stored a trace");
    // Counts from this address, `…/traces`, wherever a proxy shows it.
    let address = format!("traces/{id}");
    Ok((StatusCode::CREATED, [(header::LOCATION, address)], Json(stored.entry)))
}

/// Writes the body to the disk.
async fn receive(upload: &mut Upload, headers: &HeaderMap, body: &mut Body) -> Result<(), AppError> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if let Some(size_bytes) = announced.and_then(|text| text.parse().ok()) {
        upload.announce(size_bytes)?;
    }
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| AppError::BrokenOff)?;
        if let Ok(bytes) = frame.into_data() {
            upload.append(&bytes).await?;
        }
    }
    upload.flush().await.map_err(|error: StorageError| error.into())
}

/// Reads and discards the rest of an upload, for a while.
async fn drain(mut body: Body) {
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    // A client that sends longer sees a broken connection.
    let _ = tokio::time::timeout(DRAIN_TIME, rest).await;
}
