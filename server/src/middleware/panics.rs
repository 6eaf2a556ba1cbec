//! A controller that panics answers with an error and leaves the others alone.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::error::AppError;

pub(crate) async fn catch(request: Request, next: Next) -> Result<Response, AppError> {
    let mut answer = Box::pin(next.run(request));
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(_) => Poll::Ready(Err(AppError::Internal("a request failed"))),
    })
    .await
}
