//! `PUT /api/v1/projects/{project}/members/{name}`: adds a member, or changes their role.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use syclscope_language::api::NewMember;

use crate::app::App;
use crate::auth::{change, is_name};
use crate::db::{DbError, audit, members};
use crate::http::error::AppError;
use crate::http::extract::{Body, Guard as _, InProject, NamePath, acts::ChangeMembers};

type Guard = InProject<ChangeMembers>;

pub(crate) async fn set(
    InProject { project, principal, .. }: Guard,
    NamePath(name): NamePath,
    State(app): State<Arc<App>>,
    Body(NewMember { role }): Body<NewMember>,
) -> Result<StatusCode, AppError> {
    if name != members::EVERYBODY && !is_name(&name) {
        return Err(AppError::BadRequest("a member's name is one line of 1 to 200 bytes".to_owned()));
    }
    let mut transaction = app.database()?.writing().await?;
    members::set(&mut transaction, &project, &name, role).await?;
    let line = change(&principal, Guard::ACTION, Some(project.as_str()), &name, Some(role.to_string()));
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    app.rights_changed();
    Ok(StatusCode::NO_CONTENT)
}
