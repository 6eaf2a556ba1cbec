//! Members of a project.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use syclscope_language::api::{MemberEntry, NewMember};

use crate::app::App;
use crate::auth::{change, is_name};
use crate::db::{DbError, audit, members};
use crate::http::error::AppError;
use crate::http::extract::{
    Body, Guard as _, InProject, NamePath,
    acts::{ChangeMembers, ListMembers},
};

/// `GET /api/v1/projects/{project}/members`: the members with their roles.
pub(crate) async fn list(
    InProject { project, .. }: InProject<ListMembers>,
    State(app): State<Arc<App>>,
) -> Result<impl IntoResponse, AppError> {
    let rows = members::in_project(&mut *app.database()?.reading().await?, &project).await?;
    let entries: Vec<MemberEntry> = rows.into_iter().map(|(name, role)| MemberEntry { name, role }).collect();
    Ok(([("cache-control", "no-store")], Json(entries)))
}

type Guard = InProject<ChangeMembers>;

/// `PUT /api/v1/projects/{project}/members/{name}`: adds a member, or changes their role.
pub(crate) async fn set(
    InProject { project, principal, .. }: Guard,
    NamePath(name): NamePath,
    State(app): State<Arc<App>>,
    Body(NewMember { role }): Body<NewMember>,
) -> Result<StatusCode, AppError> {
    if name != members::EVERYBODY && !is_name(&name) {
        return Err(AppError::BadRequest("a member's name must be one line of 1 to 200 bytes".to_owned()));
    }
    let mut transaction = app.database()?.writing().await?;
    members::set(&mut transaction, &project, &name, role).await?;
    let line = change(&principal, Guard::ACTION, Some(project.as_str()), &name, Some(role.to_string()));
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    app.rights_changed();
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/v1/projects/{project}/members/{name}`: removes a member from a project.
pub(crate) async fn remove(
    InProject { project, principal, .. }: Guard,
    NamePath(name): NamePath,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    if !members::remove(&mut transaction, &project, &name).await? {
        return Err(AppError::NoSuchMember);
    }
    let gone = Some("removed".to_owned());
    let line = change(&principal, Guard::ACTION, Some(project.as_str()), &name, gone);
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    app.rights_changed();
    Ok(StatusCode::NO_CONTENT)
}
