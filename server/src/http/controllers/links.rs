//! Share links of a trace.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use syclscope_language::api::{LinkEntry, LinkState, MadeLink, NewLink};
use syclscope_system::id::Id;

use crate::app::App;
use crate::auth::{Secret, change, is_name};
use crate::db::links::{self, LinkRow};
use crate::db::{DbError, audit, now_unix_ns, traces};
use crate::http::controllers::traces::part;
use crate::http::error::AppError;
use crate::http::extract::{
    Asker, Body, Guard as _, LinkPath, OnTrace,
    acts::{ListLinks, MakeLink, WithdrawLink},
};
use crate::storage;

/// `GET /api/v1/traces/{id}/links`: the links to a trace, without their secrets.
pub(crate) async fn list(
    OnTrace { stored, .. }: OnTrace<ListLinks>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let connection = &mut *app.database()?.reading().await?;
    let now = now_unix_ns();
    let mut entries: Vec<LinkEntry> = Vec::new();
    for row in links::on_trace(connection, &stored.id).await? {
        let entry = row.entry_at(now);
        // The deletion of a part's copy has ended its link.
        let has_ended = row.part.is_some() && traces::find(connection, row.shows()).await?.is_none();
        let state = if has_ended { LinkState::Withdrawn } else { entry.state };
        entries.push(LinkEntry { state, ..entry });
    }
    Ok(([("cache-control", "no-store")], Json(entries)))
}

/// `POST /api/v1/traces/{id}/links`: creates a link to a trace. Only this response contains its secret.
pub(crate) async fn make(
    OnTrace { stored, principal, .. }: OnTrace<MakeLink>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    Body(new): Body<NewLink>,
) -> Result<impl IntoResponse, AppError> {
    let db = app.database()?;
    let now = now_unix_ns();
    check(&new, now)?;
    let no_random = |_| AppError::no_randomness();
    let secret = Secret::random().map_err(no_random)?;
    let mut row = LinkRow {
        id: Id::random().map_err(no_random)?,
        trace: stored.id.clone(),
        part: None,
        secret_sha256: secret.hash().to_hex(),
        name: new.name,
        made_by: principal.name().map(str::to_owned),
        made_unix_ns: now,
        expires_unix_ns: new.expires_unix_ns,
        openings: new.openings,
        opened: 0,
        withdrawn_unix_ns: None,
    };
    if let Some(range) = new.range {
        part::add_link(&app, client, &stored, &principal, range, &mut row).await?;
    }
    let mut transaction = db.writing().await?;
    storage::still_there(&mut transaction, &stored.id).await?;
    if row.part.is_none() {
        links::add(&mut transaction, &row).await?;
    }
    let to = Some(match &row.part {
        None => format!("to trace {}", stored.id),
        Some((copy, _)) => format!("to a part of trace {}, which is trace {copy}", stored.id),
    });
    let line =
        change(&principal, OnTrace::<MakeLink>::ACTION, Some(stored.project.as_str()), row.id.as_str(), to);
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    let address = format!("s/{}/t/{}", secret.expose(), row.shows());
    let made = MadeLink { link: row.entry_at(now), address };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(made)))
}

/// Rejects limits that are probably mistakes.
fn check(new: &NewLink, now_unix_ns: u64) -> Result<(), AppError> {
    let wrong = if new.expires_unix_ns.is_some_and(|end| end <= now_unix_ns) {
        "expires_unix_ns is in the past"
    } else if new.openings == Some(0) {
        "openings must be 1 or more"
    } else if new.name.as_deref().is_some_and(|name| !is_name(name)) {
        "name must be one line of 1 to 200 bytes"
    } else {
        return Ok(());
    };
    Err(AppError::BadRequest(wrong.to_owned()))
}

/// `DELETE /api/v1/traces/{id}/links/{link}`: revokes a link.
pub(crate) async fn withdraw(
    OnTrace { stored, principal, .. }: OnTrace<WithdrawLink>,
    LinkPath(link): LinkPath,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    if !links::withdraw(&mut transaction, &stored.id, &link, now_unix_ns()).await? {
        return Err(AppError::NoSuchLink);
    }
    let to = Some(format!("to trace {}", stored.id));
    let line =
        change(&principal, OnTrace::<WithdrawLink>::ACTION, Some(stored.project.as_str()), link.as_str(), to);
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    app.rights_changed();
    Ok(StatusCode::NO_CONTENT)
}
