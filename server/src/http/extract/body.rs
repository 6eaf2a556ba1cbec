//! Small JSON bodies.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::http::error::AppError;

/// A JSON body; the error for an invalid one has the reason.
#[derive(Clone, Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = AppError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, AppError> {
        let body = Json::<T>::from_request(request, app).await;
        body.map(|Json(body)| Self(body)).map_err(|error| AppError::BadRequest(error.body_text()))
    }
}
