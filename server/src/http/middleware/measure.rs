//! Metrics of requests (count, time, and bytes in and out), and their log.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use tracing::Level;

use crate::app::App;
use crate::http::error::Code;
use crate::http::metrics::Metrics;

/// Route label of the page's files, which have no route.
const PAGE: &str = "page";

type Count = fn(&Metrics, u64);

pub(crate) async fn count(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let _under_way = app.metrics.begin();
    let begun = Instant::now();
    let method = method_label(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let request = request.map(|body| count_bytes(body, &app, Metrics::add_received));
    let response = next.run(request).await;
    let route = route.as_ref().map_or(PAGE, MatchedPath::as_str);
    let error = response.extensions().get::<Code>().map(|Code(name)| *name);
    app.metrics.count_response(method, route, response.status().as_u16(), error, begun.elapsed());
    response.map(|body| count_bytes(body, &app, Metrics::add_sent))
}

/// Returns the method as a label; unknown methods share one.
fn method_label(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

struct CountedBody {
    body: Body,
    app: Arc<App>,
    count: Count,
}

fn count_bytes(body: Body, app: &Arc<App>, count: Count) -> Body {
    if http_body::Body::is_end_stream(&body) {
        return body;
    }
    Body::new(CountedBody { body, app: Arc::clone(app), count })
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(bytes) = frame.data_ref()
        {
            (self.count)(&self.app.metrics, bytes.len() as u64);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        http_body::Body::is_end_stream(&self.body)
    }

    fn size_hint(&self) -> SizeHint {
        http_body::Body::size_hint(&self.body)
    }
}

/// Logs every request with its response, at the level debug.
///
/// Logs the route, not the path, which may contain the secret of a link, even if it was put there by mistake.
pub(crate) async fn log(request: Request, next: Next) -> Response {
    if !tracing::enabled!(Level::DEBUG) {
        return next.run(request).await;
    }
    let (method, route) = (request.method().clone(), request.extensions().get::<MatchedPath>().cloned());
    let begun = Instant::now();
    let response = next.run(request).await;
    let (status, duration) = (response.status().as_u16(), begun.elapsed());
    let route = route.as_ref().map_or("no route", MatchedPath::as_str);
    tracing::debug!(%method, route, status, ?duration, "request");
    response
}
