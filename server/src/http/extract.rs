//! Parts of a request, validated before a controller gets them.

mod client;
pub(crate) mod cookies;
mod guard;
mod runs;

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, RawQuery, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use syclscope_language::formats::Format;
use syclscope_language::question::{CompareQuestion, PartOfRun, RangedQuestion};
use syclscope_system::id::Id;

use crate::app::App;
use crate::auth::{Client, Principal};
use crate::http::error::AppError;
use crate::parameters;
use crate::storage::{StorageError, TraceId};

pub(crate) use self::client::{Tries, address};
pub(crate) use self::guard::{
    Anyone, Guard, Guarded, InProject, Listing, Naming, OnOther, OnTrace, OnUpload, SignedIn, Visit,
    Watching, acts,
};
pub(crate) use self::runs::MoreRuns;

#[derive(Clone, Debug)]
pub(crate) struct LinkPath(pub(crate) Id);

#[derive(Clone, Debug)]
pub(crate) struct CommentPath(pub(crate) Id);

#[derive(Clone, Debug)]
pub(crate) struct NamePath(pub(crate) String);

#[derive(Clone, Debug)]
pub(crate) struct KeyPath(pub(crate) String);

/// The id of an upload in parts, which may not exist.
#[derive(Clone, Debug)]
struct UploadPath(TraceId);

#[derive(Clone, Debug)]
pub(crate) struct PartPath(pub(crate) u64);

#[derive(Clone, Debug)]
pub(crate) struct ParsedQuery(pub(crate) RangedQuestion);

/// The query `report`, whose range is in the URL.
#[derive(Clone, Debug)]
pub(crate) struct ReportQuery(pub(crate) RangedQuestion);

#[derive(Clone, Debug)]
pub(crate) struct CompareQuery {
    pub(crate) question: CompareQuestion,
    pub(crate) part: PartOfRun,
}

#[derive(Clone, Debug)]
pub(crate) struct FormatPath(pub(crate) Format);

impl FromRequestParts<Arc<App>> for FormatPath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        let name = part(parts, "format").await?;
        Format::from_word(&name).map(Self).ok_or(AppError::NoSuchFormat)
    }
}

/// Returns the id of the trace in a part of the path; anything else is a 404 response.
async fn trace_at(parts: &mut Parts, name: &str) -> Result<TraceId, AppError> {
    // Text that is no valid id never becomes a path.
    Ok(part(parts, name).await?.parse().map_err(|_| StorageError::NotFound)?)
}

impl FromRequestParts<Arc<App>> for UploadPath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        Ok(Self(part(parts, "id").await?.parse().map_err(|_| StorageError::NotFound)?))
    }
}

impl FromRequestParts<Arc<App>> for PartPath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        Ok(Self(part(parts, "number").await?.parse().map_err(|_| StorageError::NoSuchPart)?))
    }
}

impl FromRequestParts<Arc<App>> for LinkPath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        part(parts, "link").await?.parse().map(Self).map_err(|_| AppError::NoSuchLink)
    }
}

impl FromRequestParts<Arc<App>> for CommentPath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        part(parts, "comment").await?.parse().map(Self).map_err(|_| AppError::NoSuchComment)
    }
}

impl FromRequestParts<Arc<App>> for NamePath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        part(parts, "name").await.map(Self)
    }
}

impl FromRequestParts<Arc<App>> for KeyPath {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        part(parts, "key").await.map(Self)
    }
}

impl FromRequestParts<Arc<App>> for ParsedQuery {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        Ok(Self(question(parts, app).await?.parse()?))
    }
}

impl FromRequestParts<Arc<App>> for ReportQuery {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(format!("report?{query}").parse()?))
    }
}

impl FromRequestParts<Arc<App>> for CompareQuery {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        let name = part(parts, "question").await?;
        let own = parts.uri.query().unwrap_or_default().split('&').filter(|pair| !runs::is_runs(pair));
        let query = own.collect::<Vec<_>>().join("&");
        let text = if query.is_empty() { name } else { format!("{name}?{query}") };
        let (part, question) = PartOfRun::split(&text)?;
        Ok(Self { question: question.parse()?, part })
    }
}

async fn question(parts: &mut Parts, app: &Arc<App>) -> Result<String, AppError> {
    let text = part(parts, "question").await?;
    Ok(match RawQuery::from_request_parts(parts, app).await {
        Ok(RawQuery(Some(query))) => format!("{text}?{query}"),
        _ => text,
    })
}

/// The client, for fair queues.
pub(crate) struct Asker(pub(crate) Client);

impl FromRequestParts<Arc<App>> for Asker {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        let principal = parts.extensions.get().unwrap_or(&Principal::Nobody);
        Ok(Self(Client::new(principal, address(app, &parts.headers, &parts.extensions))))
    }
}

async fn part(parts: &mut Parts, name: &str) -> Result<String, AppError> {
    let Path(all) = Path::<Vec<(String, String)>>::from_request_parts(parts, &())
        .await
        .map_err(|error| AppError::BadRequest(error.to_string()))?;
    let found = all.into_iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let found = found.ok_or(AppError::NoSuchAddress)?;
    // No stored name has a NUL character, and PostgreSQL rejects it.
    if found.contains('\0') {
        return Err(AppError::BadRequest("a URL must not have NUL characters (%00)".to_owned()));
    }
    Ok(found)
}

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

/// The query parameters of a route.
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
