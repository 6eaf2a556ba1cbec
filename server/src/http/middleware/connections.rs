//! Sets the caller of a request's connection, and responds if there is no room for it.
//!
//! Behind trusted proxies a connection counts for the client that they name. Health probes always get a
//! response.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::app::App;
use crate::auth::{Caller, Client, Connection, Place, Principal};
use crate::http::error::AppError;
use crate::http::extract::address;

const PROBES: [&str; 2] = ["/healthz", "/readyz"];

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
