//! Turns a controller's panic into an error response; other requests continue.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::http::error::AppError;

pub(crate) async fn catch(request: Request, next: Next) -> Result<Response, AppError> {
    let mut answer = Box::pin(next.run(request));
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(_) => Poll::Ready(Err(AppError::Internal("a request failed"))),
    })
    .await
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use http_body_util::BodyExt as _;
    use syclscope_language::api::ErrorBody;
    use tower::ServiceExt as _;

    use super::*;

    async fn broken() -> &'static str {
        panic!("this is the test's own panic")
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_the_next_request_is_answered() {
        let router = Router::new()
            .route("/broken", get(broken))
            .route("/fine", get(|| async { "fine" }))
            .layer(from_fn(catch));
        let ask = |path: &str| router.clone().oneshot(Request::get(path).body(Body::empty()).unwrap());
        let answer = ask("/broken").await.unwrap();
        assert_eq!(answer.status(), 500);
        let body: ErrorBody =
            serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap();
        assert_eq!(body.error.code, "internal");
        assert_eq!(ask("/fine").await.unwrap().status(), 200);
    }
}
