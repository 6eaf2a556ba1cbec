//! `PUT /api/v1/traces/{id}/shown/{name}` with `{"query": "?s=12"}`: a page reports its state. `GET` returns it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::{Body, NamePath, OnTrace, acts::ReadTrace};
use crate::http::view_sync::{Name, View};

pub(crate) async fn set(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    NamePath(name): NamePath,
    State(app): State<Arc<App>>,
    Body(view): Body<View>,
) -> Result<StatusCode, AppError> {
    let name = name_on(&app, &name)?;
    app.view_sync.set(&stored.id, &name, view).map_err(|error| AppError::BadRequest(error.to_string()))?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn get(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    NamePath(name): NamePath,
    State(app): State<Arc<App>>,
) -> Result<Response, AppError> {
    let name = name_on(&app, &name)?;
    let view = app.view_sync.get(&stored.id, &name).ok_or(AppError::NothingShown)?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(view)).into_response())
}

/// Parses the name of a page. Returns an error on a server with a database, which does not store views.
fn name_on(app: &App, name: &str) -> Result<Name, AppError> {
    if app.db.is_some() {
        return Err(AppError::KeepsNoViews);
    }
    name.parse::<Name>().map_err(|error| AppError::BadRequest(error.to_string()))
}
