//! Errors of requests. Status codes are assigned only here.
//!
//! Other modules describe the error; here it gets its status, its stable name and its body ([`ErrorBody`]).

mod page;

use std::io;
use std::sync::Arc;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use syclscope_engine::budget::Spent;
use syclscope_engine::cancel::Stopped;
use syclscope_engine::clean::CleanError;
use syclscope_engine::query::QueryError;
use syclscope_language::api::{ErrorBody, ErrorInfo};
use syclscope_language::question::QuestionError;

pub(crate) use self::page::{FORM_POLICY, PageError};
use crate::auth::provider::ProviderError;
use crate::auth::{Action, EntranceError, TooManyChanges, TooManyConnections, TooManyGuesses};
use crate::db::DbError;
use crate::http::unsent::Unwritten;
use crate::ingest::trace_cache::LoadError;
use crate::limits::fair_semaphore::TooMany;
use crate::limits::query_executor::Unanswered;
use crate::listing::NotAList;
use crate::parameters::UnknownParameter;
use crate::storage::StorageError;
use syclscope_report::trial::LedgerError;

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error("not found; the API is under /api/v1")]
    NoSuchAddress,
    #[error("unknown format; the formats are perfetto, json, fxprof and parquet")]
    NoSuchFormat,
    #[error("method not allowed at this URL")]
    WrongMethod,
    #[error("{0}")]
    BadRequest(String),
    #[error("the upload broke off, and nothing was stored; send it again")]
    BrokenOff,
    /// A cleaned copy would contain data that was to be removed, or can't be written.
    #[error(transparent)]
    NotClean(CleanError),
    #[error("{0}: request a shorter part of the run, or use `syclscope convert` or `clean`")]
    TooMuchMemory(Spent),
    #[error(
        "the disk is full, so the export can't be written: free space in the server's data folder, or in the temporary \
         folder (TMPDIR), which `syclscope open` uses"
    )]
    NoRoomForExport,
    #[error("the upload is empty; the request body must be the recording's bytes")]
    EmptyUpload,
    #[error(transparent)]
    Question(#[from] QuestionError),
    #[error("{name}: {error}")]
    Load { name: String, error: Arc<LoadError> },
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Database(#[from] DbError),
    /// A page of another site requests a change.
    #[error("cross-site request refused")]
    CrossSite,
    #[error(
        "only the account that started this server may use it. If that is you, and you connect from a container or another \
         computer, open the URL with the key that syclscope printed; `syclscope serve --any-account` admits every \
         account of this computer"
    )]
    OtherAccount,
    /// The query took too long on a busy server.
    #[error("the server is overloaded; retry later, or query a shorter time")]
    TooSlow,
    #[error(
        "sign in to see this: open this server's page in a browser, or send a token (Authorization: Bearer …)"
    )]
    SignIn,
    #[error("invalid token: mistyped, expired or revoked. An admin of this server can create a new one")]
    WrongToken,
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error("too many wrong tokens or links from your address; retry later")]
    TooManyGuesses(#[from] TooManyGuesses),
    #[error(transparent)]
    TooManyChanges(#[from] TooManyChanges),
    #[error(transparent)]
    TooManyConnections(#[from] TooManyConnections),
    /// The client may not do this, but may read.
    #[error("your role in this project does not permit this ({}); ask one of its admins", .0.name())]
    NotAllowed(Action),
    #[error("no such project, or you are not a member")]
    NoSuchProject,
    /// The project has no trace that matches the URL.
    #[error("the project has no trace that matches the URL; check its labels and its program")]
    NoneYet,
    #[error(
        "no ledger of tries: `syclscope try -- ./program` creates one, and `syclscope open syclscope-try` shows it"
    )]
    NoTries,
    #[error("{file}: {error}")]
    NotALedger { file: String, error: LedgerError },
    #[error("no such member in this project")]
    NoSuchMember,
    #[error("no such link; check that its URL is complete")]
    NoSuchLink,
    #[error("comment not found; it may have been deleted")]
    NoSuchComment,
    /// No page has reported under this name.
    #[error("no page has this name: it is not open yet, or was closed")]
    NothingShown,
    /// Views are not stored on a server with several replicas.
    #[error("this server does not store views of pages; `syclscope open` does")]
    KeepsNoViews,
    #[error("this trace has the maximum number of comments; delete some")]
    CommentsFull,
    #[error("too many comment changes in the last minute; retry in a minute")]
    TooFast,
    #[error("link revoked; ask the sender for a new one")]
    LinkWithdrawn,
    #[error("link expired; ask the sender for a new one")]
    LinkExpired,
    #[error("link used up; ask the sender for a new one")]
    LinkUsedUp,
    /// A file of the server was truncated while it was read.
    #[error("cached copy truncated; rebuilding it, retry in a moment")]
    CutShort,
    /// Services that the server needs can't be reached.
    #[error("not ready: the {} can't be reached", .0.join(" and the "))]
    NotReady(Vec<&'static str>),
    /// Too many queries or exports are waiting.
    #[error("the server is busy; retry in a moment")]
    Busy,
    #[error(
        "this server does not accept the host name {0}; use http://127.0.0.1 or http://localhost, or add the name \
         with --allow-host"
    )]
    WrongHost(String),
    /// A bug of ours.
    #[error("internal error: {0}. See the server's log, and please report this")]
    Internal(&'static str),
}

impl AppError {
    /// Returns the error for an operating system without random numbers.
    pub(crate) fn no_randomness() -> Self {
        Self::Internal("can't get random numbers")
    }

    fn kind(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NoSuchAddress | Self::NoSuchFormat => (StatusCode::NOT_FOUND, "not_found"),
            Self::WrongMethod => (StatusCode::METHOD_NOT_ALLOWED, "wrong_method"),
            Self::BadRequest(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::BrokenOff => (StatusCode::BAD_REQUEST, "broken_off"),
            Self::TooMuchMemory(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too_much_memory"),
            Self::NotClean(_) => (StatusCode::UNPROCESSABLE_ENTITY, "not_clean"),
            Self::NoRoomForExport => (StatusCode::INSUFFICIENT_STORAGE, "storage_full"),
            Self::EmptyUpload => (StatusCode::UNPROCESSABLE_ENTITY, "not_a_trace"),
            Self::Load { error, .. } => match error.as_ref() {
                LoadError::NotATrace(_) => (StatusCode::UNPROCESSABLE_ENTITY, "not_a_trace"),
                LoadError::Memory(_) => (StatusCode::UNPROCESSABLE_ENTITY, "too_much_memory"),
                LoadError::Unpacked(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
                LoadError::Read(error) => Self::of_io(error),
                LoadError::Storage(error) => Self::of_storage(error),
                LoadError::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
            },
            Self::TooSlow => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Self::Query(QueryError::Stopped(Stopped::CalledOff)) => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Self::Query(QueryError::Stopped(_)) => (StatusCode::UNPROCESSABLE_ENTITY, "too_dear"),
            Self::Query(QueryError::Unwritable) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
            Self::Query(QueryError::Sql(_)) => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::Query(_) => (StatusCode::NOT_FOUND, "not_found"),
            Self::Question(QuestionError::Unknown { .. }) => (StatusCode::NOT_FOUND, "not_found"),
            Self::Question(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::Storage(error) => Self::of_storage(error),
            Self::Database(error) => Self::of_database(error),
            Self::CrossSite => (StatusCode::FORBIDDEN, "cross_site"),
            Self::SignIn => (StatusCode::UNAUTHORIZED, "sign_in"),
            Self::WrongToken => (StatusCode::UNAUTHORIZED, "wrong_token"),
            Self::Provider(error) => Self::of_provider(*error),
            Self::TooManyGuesses(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many_guesses"),
            Self::TooManyChanges(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many_changes"),
            Self::TooManyConnections(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many_connections"),
            Self::NotAllowed(_) => (StatusCode::FORBIDDEN, "not_allowed"),
            Self::NoSuchProject => (StatusCode::NOT_FOUND, "no_such_project"),
            Self::NotALedger { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "not_a_ledger"),
            Self::NoneYet
            | Self::NoTries
            | Self::NoSuchMember
            | Self::NoSuchLink
            | Self::NoSuchComment
            | Self::NothingShown => (StatusCode::NOT_FOUND, "not_found"),
            Self::KeepsNoViews => (StatusCode::CONFLICT, "keeps_no_views"),
            Self::CommentsFull => (StatusCode::CONFLICT, "comments_full"),
            Self::TooFast => (StatusCode::TOO_MANY_REQUESTS, "too_fast"),
            Self::LinkWithdrawn => (StatusCode::GONE, "link_withdrawn"),
            Self::LinkExpired => (StatusCode::GONE, "link_expired"),
            Self::LinkUsedUp => (StatusCode::GONE, "link_used_up"),
            Self::NotReady(_) => (StatusCode::SERVICE_UNAVAILABLE, "not_ready"),
            Self::CutShort => (StatusCode::SERVICE_UNAVAILABLE, "cut_short"),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Self::OtherAccount => (StatusCode::FORBIDDEN, "other_account"),
            Self::WrongHost(_) => (StatusCode::MISDIRECTED_REQUEST, "wrong_host"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    /// Returns its name in responses and metrics.
    pub(crate) fn code(&self) -> &'static str {
        self.kind().1
    }

    /// True if a service or space is missing. An exceeded time limit is no outage: the next attempt may exceed it, too.
    pub(crate) fn is_outage(&self) -> bool {
        let is_missing =
            matches!(self.kind().0, StatusCode::SERVICE_UNAVAILABLE | StatusCode::INSUFFICIENT_STORAGE);
        is_missing && !matches!(self, Self::TooSlow)
    }

    /// True if a retry may succeed, because the request itself is valid.
    pub(crate) fn is_passing(&self) -> bool {
        self.is_outage() || matches!(self, Self::TooSlow) || matches!(self.kind().1, "io" | "database")
    }

    fn of_storage(error: &StorageError) -> (StatusCode, &'static str) {
        match error {
            StorageError::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            StorageError::LookOnly => (StatusCode::FORBIDDEN, "look_only"),
            StorageError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            StorageError::QuotaUsed { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "quota_used"),
            StorageError::NoSuchProject(_) => (StatusCode::NOT_FOUND, "no_such_project"),
            StorageError::NoSuchPart => (StatusCode::NOT_FOUND, "no_such_part"),
            StorageError::UploadOver => (StatusCode::CONFLICT, "upload_over"),
            StorageError::PartsMissing => (StatusCode::CONFLICT, "parts_missing"),
            StorageError::OtherDigest => (StatusCode::BAD_REQUEST, "other_digest"),
            StorageError::NoStore(_) => (StatusCode::SERVICE_UNAVAILABLE, "no_store"),
            StorageError::Database(error) => Self::of_database(error),
            StorageError::Io(error) => Self::of_io(error),
        }
    }

    fn of_provider(error: ProviderError) -> (StatusCode, &'static str) {
        use ProviderError as Error;
        match error {
            Error::Unreachable => (StatusCode::SERVICE_UNAVAILABLE, "no_provider"),
            Error::NoIssuer | Error::NoWayBack | Error::InTheClear | Error::Setup => {
                (StatusCode::INTERNAL_SERVER_ERROR, "internal")
            }
            Error::Odd | Error::Client | Error::Clocks | Error::Unverified => {
                (StatusCode::BAD_GATEWAY, "provider")
            }
            Error::Denied | Error::Refused => (StatusCode::FORBIDDEN, "not_let_in"),
            Error::NameTaken => (StatusCode::FORBIDDEN, "name_taken"),
            Error::EmailUnverified | Error::NoName => (StatusCode::FORBIDDEN, "no_name"),
            Error::Lost | Error::Code => (StatusCode::BAD_REQUEST, "sign_in_over"),
        }
    }

    fn of_database(error: &DbError) -> (StatusCode, &'static str) {
        match error {
            DbError::Unreachable(_) => (StatusCode::SERVICE_UNAVAILABLE, "no_database"),
            DbError::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            // Another request has deleted the row since it was looked up.
            DbError::Missing => (StatusCode::NOT_FOUND, "not_found"),
            DbError::Full => (StatusCode::INSUFFICIENT_STORAGE, "storage_full"),
            DbError::ReadOnly => (StatusCode::SERVICE_UNAVAILABLE, "read_only"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "database"),
        }
    }

    fn of_io(error: &io::Error) -> (StatusCode, &'static str) {
        match error.kind() {
            io::ErrorKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (StatusCode::INSUFFICIENT_STORAGE, "storage_full")
            }
            io::ErrorKind::ReadOnlyFilesystem => (StatusCode::SERVICE_UNAVAILABLE, "read_only"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "io"),
        }
    }
}

impl From<Unanswered> for AppError {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::Query(error) => Self::Query(error),
            Unanswered::Busy => Self::Busy,
            Unanswered::Failed => Self::Internal("a query failed"),
            Unanswered::TooSlow => Self::TooSlow,
        }
    }
}

impl From<TooMany> for AppError {
    fn from(_: TooMany) -> Self {
        Self::Busy
    }
}

impl From<Unwritten> for AppError {
    fn from(why: Unwritten) -> Self {
        match why {
            Unwritten::Memory(spent) => Self::TooMuchMemory(spent),
            Unwritten::Io(error) => match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoRoomForExport,
                kind @ io::ErrorKind::ReadOnlyFilesystem => Self::Storage(StorageError::Io(kind.into())),
                _ => Self::Internal("can't write an export"),
            },
        }
    }
}

impl AppError {
    fn is_missing_row(&self) -> bool {
        matches!(
            self,
            Self::Database(DbError::Missing) | Self::Storage(StorageError::Database(DbError::Missing))
        )
    }

    fn message(&self, code: &str) -> String {
        match code {
            "storage_full" if matches!(self, Self::NoRoomForExport) => self.to_string(),
            // Only a fetch from the object store fills the disk while a trace is read.
            "storage_full" if matches!(self, Self::Load { .. }) => {
                "the server's disk is full, so it can't fetch this trace from the object store".to_owned()
            }
            "storage_full" => "the server's disk is full; nothing was stored".to_owned(),
            "read_only" => {
                "the server's disk is read-only; nothing was stored, but stored traces can be read. Tell an admin of this server"
                    .to_owned()
            }
            // The error may contain table names and URLs, which only the log may show.
            "no_database" => "the server's database can't be reached; retry in a moment".to_owned(),
            "no_store" => "the server's object store can't be reached; retry in a moment".to_owned(),
            "database" => "the server's database failed; see the server's log".to_owned(),
            "not_found" if self.is_missing_row() => "the trace or comment that this belongs to was deleted".to_owned(),
            _ => self.to_string(),
        }
    }

    /// Adds the error's name for metrics, and its headers.
    fn dress(&self, response: &mut Response) {
        response.extensions_mut().insert(Code(self.kind().1));
        let (status, headers) = (response.status(), response.headers_mut());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self {
            Self::TooManyGuesses(TooManyGuesses { wait }) | Self::TooManyChanges(TooManyChanges { wait }) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
            }
            Self::TooManyConnections(_) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Self::TooFast => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
            }
            Self::SignIn | Self::WrongToken => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ if status == StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
    }
}

impl From<UnknownParameter> for AppError {
    fn from(error: UnknownParameter) -> Self {
        Self::BadRequest(error.to_string())
    }
}

impl From<NotAList> for AppError {
    fn from(error: NotAList) -> Self {
        Self::BadRequest(error.to_string())
    }
}

impl From<EntranceError> for AppError {
    fn from(error: EntranceError) -> Self {
        match error {
            EntranceError::Database(error) => error.into(),
            EntranceError::Random(_) => Self::no_randomness(),
        }
    }
}

/// The name of a response's error, for metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) &'static str);

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let (status, code) = self.kind();
        if status.is_server_error() {
            tracing::error!("answered {status}: {self}");
        }
        let body = ErrorBody { error: ErrorInfo { code: code.to_owned(), message: self.message(code) } };
        let mut response = (status, Json(body)).into_response();
        self.dress(&mut response);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_beyond_the_quota_of_the_disk_says_so() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            let error = AppError::from(Unwritten::from(io::Error::from(kind)));
            assert_eq!(error.kind(), (StatusCode::INSUFFICIENT_STORAGE, "storage_full"), "{kind}");
            let message = error.message("storage_full");
            assert!(message.contains("export") && message.contains("TMPDIR"), "{message}");
        }
    }
}
