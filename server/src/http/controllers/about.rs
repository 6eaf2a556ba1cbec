//! The server itself: version, API description, state, metrics, and the identity of the client.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Serialize;
use syclscope_language::api::{API_VERSION, Me, ProjectRole};

use crate::app::App;
use crate::auth::{Action, Principal, Roles};
use crate::http::error::AppError;
use crate::http::extract::{Anyone, Watching};
use crate::http::metrics::Text;

#[derive(Debug, Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    api_version: u32,
    /// Upload limit; null if the server accepts no uploads.
    max_upload_bytes: Option<u64>,
    /// True if `/tries` shows a ledger of `syclscope try`.
    has_tries: bool,
}

/// `GET /api/v1/health`: the server's version, its upload limit, and whether it shows a ledger.
pub(crate) async fn health(Anyone(_): Anyone, State(app): State<Arc<App>>) -> impl IntoResponse {
    let health = Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        api_version: API_VERSION,
        max_upload_bytes: app.storage.upload_limit_bytes(),
        has_tries: app.storage.has_ledger().await,
    };
    ([("cache-control", "no-store")], Json(health))
}

const DOCUMENT: &str = include_str!("../openapi.json");

/// `GET /api/v1/openapi.json`: description of the API. Tests compare it with the router's table and with responses.
pub(crate) async fn openapi(Anyone(_): Anyone) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")], DOCUMENT)
}

/// `GET /api/v1/me`: the client's identity and permissions.
pub(crate) async fn me(Anyone(principal): Anyone) -> impl IntoResponse {
    let (kind, roles) = match &principal {
        Principal::Account => ("account", None),
        Principal::Everybody => ("everybody", None),
        Principal::Token { roles, .. } => ("token", Some(roles)),
        Principal::Person { roles, .. } => ("person", Some(roles)),
        Principal::Link(_) => ("link", None),
        Principal::Nobody => ("nobody", None),
    };
    let may = Action::ALL.into_iter().filter(|action| principal.may_everywhere(*action));
    let me = Me {
        kind: kind.to_owned(),
        name: principal.name().map(str::to_owned),
        roles: roles.map(project_roles).unwrap_or_default(),
        may: may.map(|action| action.name().to_owned()).collect(),
    };
    ([("cache-control", "no-store")], Json(me))
}

fn project_roles(roles: &Roles) -> Vec<ProjectRole> {
    let roles = roles.by_project.iter();
    roles.map(|(project, role)| ProjectRole { project: project.clone(), role: *role }).collect()
}

/// Timeout, because a probe expects prompt responses.
const PATIENCE: Duration = Duration::from_secs(3);

/// `GET /healthz`: succeeds while the process runs. `GET /readyz`: succeeds if all services are available, or
/// names the missing ones.
pub(crate) async fn healthz(Anyone(_): Anyone) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-store")], "ok\n")
}

pub(crate) async fn ready(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    // The user's own files need no services.
    let Ok(hosted) = app.storage.hosted() else { return Ok(ready_text()) };
    let database = tokio::time::timeout(PATIENCE, hosted.db().check());
    let store = tokio::time::timeout(PATIENCE, hosted.check_store());
    let (database, store) = tokio::join!(database, store);
    let missing: Vec<&'static str> = [
        (!matches!(database, Ok(Ok(())))).then_some("database"),
        (!matches!(store, Ok(Ok(())))).then_some("store"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if missing.is_empty() { Ok(ready_text()) } else { Err(AppError::NotReady(missing)) }
}

fn ready_text() -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-store")], "ready\n")
}

/// `GET /metrics`: the server's metrics in Prometheus' format.
pub(crate) async fn metrics(_: Watching, State(app): State<Arc<App>>) -> impl IntoResponse {
    let mut text = Text::default();
    text.family("syclscope_build_info", "gauge", "Version of the server.");
    text.sample("syclscope_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
    app.metrics.write(&mut text);
    let loads =
        [("questions", "queries", app.questions.turns().load()), ("exports", "exports", app.exports.load())];
    for (name, noun, (running, waiting)) in loads {
        text.current(&format!("syclscope_{name}_under_way"), &format!("Running {noun}."), running);
        text.current(&format!("syclscope_{name}_waiting"), &format!("Waiting {noun}."), waiting);
    }
    let [working, unsent] = app.questions.account().used_bytes();
    text.current("syclscope_working_bytes", "Memory reserved for running work, in bytes.", working);
    text.current("syclscope_unsent_bytes", "Unsent responses in memory, in bytes.", unsent);
    app.cache.write(&mut text);
    (
        [
            (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"),
            (header::CACHE_CONTROL, "no-store"),
        ],
        text.into_string(),
    )
}
