//! `PUT /api/v1/uploads/{id}/parts/{number}` with the part's bytes as the body. Sending a part again replaces it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::http::controllers::body;
use crate::http::error::AppError;
use crate::http::extract::{OnUpload, PartPath, acts::Upload};

pub(crate) async fn put(
    OnUpload { id, .. }: OnUpload<Upload>,
    State(app): State<Arc<App>>,
    PartPath(number): PartPath,
    headers: HeaderMap,
    mut sent: Body,
) -> Result<StatusCode, AppError> {
    let hosted = app.storage.hosted()?;
    let (mut part, expected) = hosted.begin_part(&id, number).await?;
    body::receive(&mut part, &headers, &mut sent).await?;
    if part.size_bytes() != expected {
        return Err(AppError::BadRequest(format!("part {number} has {expected} bytes")));
    }
    hosted.keep_part(&id, number, part).await?;
    Ok(StatusCode::NO_CONTENT)
}
