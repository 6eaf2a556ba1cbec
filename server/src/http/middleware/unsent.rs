//! Counts long responses in memory until they are sent.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;
use crate::http::error::AppError;
use crate::http::extract::Asker;
use crate::http::unsent;

pub(crate) async fn count(
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: Request,
    next: Next,
) -> Result<Response, AppError> {
    unsent::count(app.questions.account(), client, next.run(request).await).await
}
