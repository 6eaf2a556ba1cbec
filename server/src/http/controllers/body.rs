//! Bodies of uploads, written to disk as they arrive, in constant memory.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;

use crate::http::error::AppError;
use crate::storage::{StorageError, Upload};

/// Optional header with the SHA-256 of the bytes in hexadecimal. A mismatch is rejected.
const DIGEST: &str = "x-content-sha256";

pub(super) fn announced_bytes(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

pub(super) async fn receive(
    upload: &mut Upload,
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
