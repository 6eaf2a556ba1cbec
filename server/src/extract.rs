//! Parts of a request, checked before a controller sees them.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use syclscope_trace::source::{MemoryKey, TileKey};

use crate::app::{App, with_storage};
use crate::error::AppError;
use crate::storage::{StorageError, Stored, TraceId};

/// The trace that the address names; not found where there is none.
#[derive(Clone, Debug)]
pub(crate) struct TracePath(pub(crate) Stored);

/// The tile that the address names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TilePath(pub(crate) TileKey);

/// The tile of memory that the address names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryPath(pub(crate) MemoryKey);

/// The slice that the address names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlicePath(pub(crate) u32);

/// The source file that the address names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourcePath(pub(crate) u32);

impl FromRequestParts<Arc<App>> for TracePath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        // What can't be an id is no trace's id: no file is ever looked for under it.
        let id: TraceId = part(parts, "id").await?.parse().map_err(|_| StorageError::NotFound)?;
        with_storage(app, move |app| app.storage.find(&id)).await.map(Self)
    }
}

impl FromRequestParts<Arc<App>> for TilePath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        let mut names = Vec::new();
        for name in ["view", "track", "level", "index"] {
            names.push(part(parts, name).await?);
        }
        let key = names.join("/").parse::<TileKey>();
        key.map(Self).map_err(|error| AppError::BadRequest(error.to_string()))
    }
}

impl FromRequestParts<Arc<App>> for MemoryPath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        let key = part(parts, "key").await?.parse::<MemoryKey>();
        key.map(Self).map_err(|error| AppError::BadRequest(error.to_string()))
    }
}

impl FromRequestParts<Arc<App>> for SlicePath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        number(parts, "slice").await.map(Self)
    }
}

impl FromRequestParts<Arc<App>> for SourcePath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        number(parts, "source").await.map(Self)
    }
}

/// A part of the path that is a number.
async fn number(parts: &mut Parts, name: &str) -> Result<u32, AppError> {
    let text = part(parts, name).await?;
    text.parse().map_err(|_| AppError::BadRequest(format!("not a {name}'s number: {text}")))
}

/// A part of the path by its name in the router.
async fn part(parts: &mut Parts, name: &str) -> Result<String, AppError> {
    let Path(all) = Path::<Vec<(String, String)>>::from_request_parts(parts, &())
        .await
        .map_err(|error| AppError::BadRequest(error.to_string()))?;
    let found = all.into_iter().find(|(known, _)| known == name).map(|(_, value)| value);
    found.ok_or(AppError::NoSuchAddress)
}
