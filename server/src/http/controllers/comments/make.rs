//! `POST /api/v1/traces/{id}/comments`: comments on a trace, or on an entity in it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use syclscope_language::api::{CommentEntry, NewComment};

use super::changes::Changing;
use crate::app::App;
use crate::comments::{GONE_NS, MOST, check, mentioned};
use crate::db::comments;
use crate::http::error::AppError;
use crate::http::extract::{Body, Guard as _, OnTrace, acts::Comment};
use syclscope_system::id::Id;

type Guard = OnTrace<Comment>;

pub(crate) async fn make(
    OnTrace { stored, principal, .. }: Guard,
    State(app): State<Arc<App>>,
    Body(new): Body<NewComment>,
) -> Result<impl IntoResponse, AppError> {
    check(&new).map_err(|why| AppError::BadRequest(why.to_string()))?;
    let mut changing = Changing::begin(&app, &stored, &principal).await?;
    let (now, transaction) = (changing.now_unix_ns, &mut *changing.transaction);
    comments::forget(transaction, &stored.id, now.saturating_sub(GONE_NS)).await?;
    if comments::count(transaction, &stored.id).await? >= MOST {
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
    let id = Id::random().map_err(|_| AppError::Internal("there are no random numbers"))?;
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
