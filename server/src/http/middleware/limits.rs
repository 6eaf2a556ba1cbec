//! Limits of each client: connections, changes, and unsent responses.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::app::App;
use crate::auth::{Caller, Client, Connection, Place, Principal};
use crate::http::error::{AppError, PageError};
use crate::http::extract::{Asker, address};
use crate::http::unsent;

const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Sets the caller of a request's connection, and responds with an error if a limit is reached.
///
/// Behind trusted proxies a connection counts for the client that they name. Health probes always get a response.
pub(crate) async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let extensions = request.extensions();
    let Some(connection) = extensions.get::<Connection>() else { return next.run(request).await };
    let principal = extensions.get::<Principal>().unwrap_or(&Principal::Nobody);
    let address = address(&app, request.headers(), extensions);
    let caller = match principal {
        Principal::Account => Caller::Owner,
        Principal::Token { .. } | Principal::Person { .. } => Caller::Known(Client::new(principal, address)),
        // Many people may share a link.
        Principal::Everybody | Principal::Link(_) | Principal::Nobody => {
            Caller::Stranger(Place::new(address))
        }
    };
    let is_probe = extensions.get::<MatchedPath>().is_some_and(|path| PROBES.contains(&path.as_str()));
    match connection.admit(caller, is_probe) {
        Ok(()) => next.run(request).await,
        Err(error) => AppError::from(error).into_response(),
    }
}

/// Suffix of a part's path, after the path of its upload.
const PART: &str = "/parts/{number}";

/// Limits the rate of changes. Parts of an upload don't count, because the upload did. The owner of a local server has no
/// limit.
pub(crate) async fn count_change(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let principal = request.extensions().get::<Principal>().unwrap_or(&Principal::Nobody);
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    if request.method().is_safe() || path.ends_with(PART) || *principal == Principal::Account {
        return next.run(request).await;
    }
    let client = Client::new(principal, address(&app, request.headers(), request.extensions()));
    let is_page = !path.starts_with("/api/");
    match app.rates.count(&client, Instant::now()).map_err(AppError::from) {
        Ok(()) => next.run(request).await,
        Err(error) if is_page => PageError::Refused(error).into_response(),
        Err(error) => error.into_response(),
    }
}

/// Counts long responses in memory until they are sent.
pub(crate) async fn count_unsent(
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: Request,
    next: Next,
) -> Result<Response, AppError> {
    unsent::count(app.questions.account(), client, next.run(request).await).await
}
