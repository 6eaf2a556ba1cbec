//! `DELETE /api/v1/projects/{project}/members/{name}`: removes a member from a project.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::auth::change;
use crate::db::{DbError, audit, members};
use crate::http::error::AppError;
use crate::http::extract::{Guard as _, InProject, NamePath, acts::ChangeMembers};

type Guard = InProject<ChangeMembers>;

pub(crate) async fn remove(
    InProject { project, principal, .. }: Guard,
    NamePath(name): NamePath,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    if !members::remove(&mut transaction, &project, &name).await? {
        return Err(AppError::NoSuchMember);
    }
    let gone = Some("no member any more".to_owned());
    let line = change(&principal, Guard::ACTION, Some(project.as_str()), &name, gone);
    audit::add(&mut transaction, &line).await?;
    transaction.commit().await.map_err(DbError::from)?;
    app.rights_changed();
    Ok(StatusCode::NO_CONTENT)
}
