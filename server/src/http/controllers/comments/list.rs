//! `GET /api/v1/traces/{id}/comments`: the comments on a trace.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use syclscope_language::api::Comments;

use crate::app::App;
use crate::auth::Action;
use crate::db::comments;
use crate::http::error::AppError;
use crate::http::extract::{OnTrace, acts::ReadComments};

pub(crate) async fn list(
    OnTrace { stored, principal, .. }: OnTrace<ReadComments>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    const HEADERS: [(&str, &str); 1] = [("cache-control", "no-store")];
    // For the user's own files the page gets an empty list, not an error.
    let Ok(hosted) = app.storage.hosted() else { return Ok((HEADERS, Json(Comments::default()))) };
    let connection = &mut *hosted.db().reading().await?;
    // The number is read first: changes in between are sent again.
    let change = comments::last_change(connection).await?;
    let may = |action| principal.may_in(stored.project.as_str(), action);
    let all = Comments {
        comments: comments::of(connection, &stored.id, 0).await?,
        change,
        is_kept: true,
        name: principal.name().map(str::to_owned),
        may_comment: may(Action::Comment),
        may_moderate: may(Action::ModerateComments),
    };
    Ok((HEADERS, Json(all)))
}
