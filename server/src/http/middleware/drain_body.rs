//! Drains unread bodies: a client that is still sending when it is rejected would see a broken connection
//! instead of the response. So the server responds, and keeps reading for a moment.
//!
//! For a client that waits before it sends (`Expect: 100-continue`), the first read would request the body;
//! it already has its response, and sends nothing.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;

/// Time limit of reading. A client that is still sending then sees a broken connection.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// A body whose rest is read when it is dropped.
struct WithRest(Option<Body>);

pub(crate) async fn read(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if http_body::Body::is_end_stream(&body) || parts.headers.contains_key(header::EXPECT) {
        return next.run(Request::from_parts(parts, body)).await;
    }
    next.run(Request::from_parts(parts, Body::new(WithRest(Some(body))))).await
}

impl http_body::Body for WithRest {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.0 else { return Poll::Ready(None) };
        let frame = std::task::ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.0 = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(|| SizeHint::with_exact(0), http_body::Body::size_hint)
    }
}

impl Drop for WithRest {
    fn drop(&mut self) {
        let Some(mut body) = self.0.take().filter(|body| !http_body::Body::is_end_stream(body)) else {
            return;
        };
        // Without a runtime there is no client any more.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let rest = async { while let Some(Ok(_)) = body.frame().await {} };
            let _ = tokio::time::timeout(READ_TIMEOUT, rest).await;
        });
    }
}
