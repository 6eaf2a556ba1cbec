//! Says whose a request's connection is, and answers those for whom there is no room.
//!
//! Behind trusted proxies a connection is the client's that they name. Probes of the server's health are answered whoever asks.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::access::{Caller, Client, Connection, Place, Principal};
use crate::app::App;
use crate::error::AppError;
use crate::extract::address;

/// Requests of monitoring.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

pub(crate) async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let extensions = request.extensions();
    let Some(connection) = extensions.get::<Connection>() else { return next.run(request).await };
    let principal = extensions.get::<Principal>().unwrap_or(&Principal::Nobody);
    let address = address(&app, request.headers(), extensions);
    let caller = match principal {
        Principal::Account => Caller::Owner,
        Principal::Token { .. } | Principal::Person { .. } => Caller::Known(Client::of(principal, address)),
        // A link may be everybody's.
        Principal::Everybody | Principal::Link(_) | Principal::Nobody => Caller::Stranger(Place::of(address)),
    };
    let is_probe = extensions.get::<MatchedPath>().is_some_and(|path| PROBES.contains(&path.as_str()));
    match connection.admit(caller, is_probe) {
        Ok(()) => next.run(request).await,
        Err(error) => AppError::from(error).into_response(),
    }
}
