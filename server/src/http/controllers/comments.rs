//! Comments on a trace.

mod changes;
pub(crate) mod events;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use syclscope_language::api::{ChangedComment, CommentEntry, Comments, Mention, NewComment};
use syclscope_system::id::Id;

use self::changes::{Changing, own};
use crate::app::App;
use crate::auth::Action;
use crate::comments::{GONE_NS, MAX_COMMENTS, check, check_text, mentioned};
use crate::db::comments;
use crate::db::projects::ProjectId;
use crate::http::error::AppError;
use crate::http::extract::{
    Body, CommentPath, Guard as _, Listing, OnTrace,
    acts::{Comment, ReadComments},
};

/// `GET /api/v1/traces/{id}/comments`: the comments on a trace.
pub(crate) async fn list(
    OnTrace { stored, principal, .. }: OnTrace<ReadComments>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    const HEADERS: [(&str, &str); 1] = [("cache-control", "no-store")];
    // The user's own files have no comments, so the page gets an empty list, not an error.
    let Ok(hosted) = app.storage.hosted() else { return Ok((HEADERS, Json(Comments::default()))) };
    let connection = &mut *hosted.db().reading().await?;
    // The number is read first, so that changes in between are sent again.
    let change = comments::last_change(connection).await?;
    let may = |action| principal.may_in(stored.project.as_str(), action);
    let all = Comments {
        comments: comments::on_trace(connection, &stored.id, 0).await?,
        change,
        is_kept: true,
        name: principal.name().map(str::to_owned),
        may_comment: may(Action::Comment),
        may_moderate: may(Action::ModerateComments),
    };
    Ok((HEADERS, Json(all)))
}

type Guard = OnTrace<Comment>;

/// `POST /api/v1/traces/{id}/comments`: adds a comment on a trace, or on an entity in it.
pub(crate) async fn make(
    OnTrace { stored, principal, .. }: Guard,
    State(app): State<Arc<App>>,
    Body(new): Body<NewComment>,
) -> Result<impl IntoResponse, AppError> {
    check(&new).map_err(|why| AppError::BadRequest(why.to_string()))?;
    let mut changing = Changing::begin(&app, &stored, &principal).await?;
    let (now, transaction) = (changing.now_unix_ns, &mut *changing.transaction);
    comments::forget(transaction, &stored.id, now.saturating_sub(GONE_NS)).await?;
    if comments::count(transaction, &stored.id).await? >= MAX_COMMENTS {
        return Err(AppError::CommentsFull);
    }
    let (mut pin, mut about, mut reply_to) = (new.pin, new.about, None);
    if let Some(answered) = new.reply_to {
        let answered = answered.parse().map_err(|_| AppError::NoSuchComment)?;
        let found =
            comments::find(transaction, &stored.id, &answered).await?.ok_or(AppError::NoSuchComment)?;
        // A reply to a reply joins the same conversation.
        (pin, about, reply_to) = (found.pin, found.about, found.reply_to.or(Some(found.id)));
    }
    let people = comments::people(transaction, &stored.project, &stored.id, now).await?;
    let mut mentions = mentioned(&new.text, &people);
    mentions.retain(|name| principal.name() != Some(name));
    let id = Id::random().map_err(|_| AppError::no_randomness())?;
    let entry = CommentEntry {
        id: id.to_string(),
        reply_to,
        pin,
        about,
        text: new.text,
        mentions,
        by: principal.name().map(str::to_owned),
        made_unix_ns: now,
        edited_unix_ns: None,
        is_deleted: false,
        change: changing.number,
    };
    let by_kind = principal.identity().and_then(|identity| identity.kind);
    comments::add(transaction, &stored.id, &entry, by_kind).await?;
    changing.end(&app, (&principal, Guard::ACTION), &entry.id, format!("on trace {}", stored.id)).await?;
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(entry)))
}

/// `PUT /api/v1/traces/{id}/comments/{comment}`: replaces the text, also of a deleted comment.
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
        return Err(AppError::BadRequest("a comment without text needs a pin".to_owned()));
    }
    let people = comments::people(transaction, &stored.project, &stored.id, now).await?;
    let mut mentions = mentioned(&text, &people);
    mentions.retain(|name| found.by.as_ref() != Some(name));
    let done = if found.is_deleted { "restored" } else { "changed" };
    // Restoring a comment is no edit, so its edit time stays.
    let edited_unix_ns = if found.is_deleted { found.edited_unix_ns } else { Some(now) };
    let entry =
        CommentEntry { text, mentions, edited_unix_ns, is_deleted: false, change: changing.number, ..found };
    comments::change(transaction, &entry, now).await?;
    changing.end(&app, (&principal, action), &entry.id, format!("{done} on trace {}", stored.id)).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(entry)))
}

/// `DELETE /api/v1/traces/{id}/comments/{comment}`: removes the text. The comment itself stays for its
/// replies.
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

const LINES: u32 = 100;

/// `GET /api/v1/mentions`: the newest comments that mention the client, on traces visible to it.
pub(crate) async fn mentions(
    listing: Listing,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let mut lines: Vec<Mention> = Vec::new();
    if let (Some(name), Some(db)) = (listing.name(), &app.db) {
        let mut snapshot = db.snapshot().await?;
        // The newest may all be in projects that the client no longer sees.
        let mut projects = comments::projects_mentioning(&mut snapshot, name).await?;
        projects.retain(|project| project.parse().is_ok_and(|project: ProjectId| listing.shows(&project)));
        lines = comments::mentioning(&mut snapshot, name, &projects, LINES).await?;
    }
    Ok(([("cache-control", "no-store")], Json(lines)))
}
