//! Errors of requests, and the only place that knows status codes.
//!
//! Whoever finds an error says what it is; here it gets its status, its stable name and its place in the body
//! [`ErrorBody`].

mod page;

use std::io;
use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use syclscope_engine::query::QueryError;
use syclscope_language::api::{ErrorBody, ErrorInfo};
use syclscope_language::question::QuestionError;

pub(crate) use self::page::PageError;
use crate::storage::StorageError;
use crate::trace_cache::LoadError;

/// Why a request has no good answer.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is nothing at this address.
    #[error("there is nothing at this address; the interface is under /api/v1")]
    NoSuchAddress,
    /// The address takes other methods.
    #[error("this address does not take this method")]
    WrongMethod,
    /// A part of the address or query is wrong.
    #[error("{0}")]
    BadRequest(String),
    /// The upload ended too early.
    #[error("the upload broke off; nothing of it was kept. Send it again")]
    BrokenOff,
    /// The upload holds nothing.
    #[error("the upload is empty; send the recording's bytes as the body (curl --data-binary @run.pftrace)")]
    EmptyUpload,
    /// The address asks nothing that a trace could answer.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// A trace can't be loaded.
    #[error("{name}: {error}")]
    Load {
        /// The trace's name.
        name: String,
        /// Why.
        error: Arc<LoadError>,
    },
    /// The trace has no such thing.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The storage can't do it.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A page of another site asks for a change.
    #[error("a page of another site asked for this, which only pages of this server may")]
    CrossSite,
    /// The request came under a name that is not the server's.
    #[error(
        "this server does not answer to the name {0}; use http://127.0.0.1 or http://localhost, or add the name \
         with --allow-host"
    )]
    WrongHost(String),
    /// A fault of ours.
    #[error("this is a fault of syclscope ({0}); its terminal may say more. Please report it")]
    Internal(&'static str),
}

impl AppError {
    /// Status and stable name.
    fn kind(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NoSuchAddress => (StatusCode::NOT_FOUND, "not_found"),
            Self::WrongMethod => (StatusCode::METHOD_NOT_ALLOWED, "wrong_method"),
            Self::BadRequest(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::BrokenOff => (StatusCode::BAD_REQUEST, "broken_off"),
            Self::EmptyUpload => (StatusCode::UNPROCESSABLE_ENTITY, "not_a_trace"),
            Self::Load { error, .. } => match error.as_ref() {
                LoadError::NotATrace(_) => (StatusCode::UNPROCESSABLE_ENTITY, "not_a_trace"),
                LoadError::Read(error) => Self::of_io(error),
                LoadError::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
            },
            Self::Query(QueryError::Unwritable) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
            Self::Query(_) => (StatusCode::NOT_FOUND, "not_found"),
            Self::Question(QuestionError::Unknown(_)) => (StatusCode::NOT_FOUND, "not_found"),
            Self::Question(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::Storage(error) => match error {
                StorageError::NotFound => (StatusCode::NOT_FOUND, "not_found"),
                StorageError::LookOnly => (StatusCode::FORBIDDEN, "look_only"),
                StorageError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
                StorageError::Io(error) => Self::of_io(error),
            },
            Self::CrossSite => (StatusCode::FORBIDDEN, "cross_site"),
            Self::WrongHost(_) => (StatusCode::MISDIRECTED_REQUEST, "wrong_host"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    fn of_io(error: &io::Error) -> (StatusCode, &'static str) {
        match error.kind() {
            io::ErrorKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (StatusCode::INSUFFICIENT_STORAGE, "storage_full")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "io"),
        }
    }
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let (status, code) = self.kind();
        let message = match code {
            "storage_full" => "the server's disk is full; nothing of this was kept".to_owned(),
            _ => self.to_string(),
        };
        if status.is_server_error() {
            tracing::error!("answered {status}: {self}");
        }
        let body = ErrorBody { error: ErrorInfo { code: code.to_owned(), message } };
        (status, [("cache-control", "no-store")], Json(body)).into_response()
    }
}
