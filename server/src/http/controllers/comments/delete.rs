//! `DELETE /api/v1/traces/{id}/comments/{comment}`: removes the text. The comment's place stays for its replies.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use syclscope_language::api::CommentEntry;

use super::changes::Changing;
use super::own::own;
use crate::app::App;
use crate::db::comments;
use crate::http::error::AppError;
use crate::http::extract::{CommentPath, OnTrace, acts::Comment};

pub(crate) async fn delete(
    OnTrace { stored, principal, .. }: OnTrace<Comment>,
    CommentPath(id): CommentPath,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let mut changing = Changing::begin(&app, &stored, &principal).await?;
    let (now, transaction) = (changing.now_unix_ns, &mut *changing.transaction);
    let (found, action) = own(transaction, &stored, &principal, &id).await?;
    if found.is_deleted {
        return Err(AppError::NoSuchComment);
    }
    let (text, mentions) = (String::new(), Vec::new());
    let entry = CommentEntry { text, mentions, is_deleted: true, change: changing.number, ..found };
    comments::change(transaction, &entry, now).await?;
    changing.end(&app, (&principal, action), &entry.id, format!("deleted from trace {}", stored.id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
