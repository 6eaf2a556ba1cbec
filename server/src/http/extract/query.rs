//! Queries with a few parameters of their own.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::http::error::AppError;
use crate::parameters;

pub(crate) trait Parameters: DeserializeOwned {
    const NAMES: &'static [&'static str];
}

/// A query with known parameters; the error for an invalid one has the reason.
#[derive(Clone, Debug)]
pub(crate) struct CheckedQuery<T>(pub(crate) T);

impl<T: Parameters> FromRequestParts<Arc<App>> for CheckedQuery<T> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let Query(pairs) = pairs.map_err(|error| AppError::BadRequest(error.body_text()))?;
        parameters::check(&pairs, T::NAMES)?;
        let query = Query::<T>::try_from_uri(&parts.uri);
        query.map(|Query(query)| Self(query)).map_err(|error| AppError::BadRequest(error.body_text()))
    }
}
