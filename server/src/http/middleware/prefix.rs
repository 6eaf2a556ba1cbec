//! Removes a path prefix that a proxy has not stripped.

use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::response::{IntoResponse as _, Redirect, Response};
use tower::{ServiceExt as _, service_fn};

use crate::http::address::Prefix;

/// Wraps a server in a path prefix. It also responds without the prefix, for proxies that strip it, and for
/// monitoring that does not know it.
pub(crate) fn before(server: Router, prefix: &Prefix) -> Router {
    if prefix.as_str().is_empty() {
        return server;
    }
    let prefix = prefix.clone();
    // A layer would run too late: by then the router has matched the whole path.
    Router::new().fallback_service(service_fn(move |request| {
        let (prefix, server) = (prefix.clone(), server.clone());
        async move { Ok::<_, Infallible>(pass_on(request, server, &prefix).await) }
    }))
}

async fn pass_on(mut request: Request, server: Router, prefix: &Prefix) -> Response {
    let uri = request.uri();
    match prefix.strip(uri.path()) {
        // Without the trailing slash a browser would resolve links relative to the parent folder.
        Some("") => {
            let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
            return Redirect::permanent(&format!("{}{query}", prefix.folder())).into_response();
        }
        Some(rest) => {
            if let Some(below) = with_path(uri, rest) {
                *request.uri_mut() = below;
            }
        }
        None => {}
    }
    server.oneshot(request).await.into_response()
}

fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let mut parts = uri.clone().into_parts();
    let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{path}{query}")).ok()?);
    Uri::from_parts(parts).ok()
}
