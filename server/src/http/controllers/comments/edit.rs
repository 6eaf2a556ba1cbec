//! `PUT /api/v1/traces/{id}/comments/{comment}`: replaces the text, also of a deleted comment.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use syclscope_language::api::{ChangedComment, CommentEntry};

use super::changes::Changing;
use super::own::own;
use crate::app::App;
use crate::comments::{check_text, mentioned};
use crate::db::comments;
use crate::http::error::AppError;
use crate::http::extract::{Body, CommentPath, OnTrace, acts::Comment};

pub(crate) async fn edit(
    OnTrace { stored, principal, .. }: OnTrace<Comment>,
    CommentPath(id): CommentPath,
    State(app): State<Arc<App>>,
    Body(ChangedComment { text }): Body<ChangedComment>,
) -> Result<impl IntoResponse, AppError> {
    check_text(&text).map_err(|why| AppError::BadRequest(why.to_string()))?;
    let mut changing = Changing::begin(&app, &stored, &principal).await?;
    let (now, transaction) = (changing.now_unix_ns, &mut *changing.transaction);
    let (found, action) = own(transaction, &stored, &principal, &id).await?;
    if text.trim().is_empty() && (found.pin.is_none() || found.reply_to.is_some()) {
        return Err(AppError::BadRequest(
            "only what is pinned to something can be without a text".to_owned(),
        ));
    }
    let people = comments::people(transaction, &stored.project, &stored.id, now).await?;
    let mut mentions = mentioned(&text, &people);
    mentions.retain(|name| found.by.as_ref() != Some(name));
    let done = if found.is_deleted { "put back" } else { "changed" };
    // A restored comment is unedited.
    let edited_unix_ns = if found.is_deleted { found.edited_unix_ns } else { Some(now) };
    let entry =
        CommentEntry { text, mentions, edited_unix_ns, is_deleted: false, change: changing.number, ..found };
    comments::change(transaction, &entry, now).await?;
    changing.end(&app, (&principal, action), &entry.id, format!("{done} on trace {}", stored.id)).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(entry)))
}
