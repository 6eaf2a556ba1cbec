//! Headers that exclude pages of other sites, and restrict our page to its own files. Nothing is cached unless
//! a response allows it.
//!
//! There is no `Access-Control-Allow-…`, so no page of another site may read a response. The opener policy
//! lets popups keep their opener, because the Perfetto UI gets a trace in a message from the window that
//! opened it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;

const ALWAYS: &[(&str, &str)] = &[
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin-allow-popups"),
    ("cross-origin-resource-policy", "same-origin"),
];

pub(crate) async fn add(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let ancestors = app.frames.ancestors_of(request.uri().path(), request.uri().query().unwrap_or_default());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        // A response may set its own policy.
        headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
    }
    // Sign-in has a form, and its own policy.
    let policy = format!("{}; frame-ancestors {ancestors}", app.page.content_security_policy());
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.entry("content-security-policy").or_insert(policy);
    }
    response
}
