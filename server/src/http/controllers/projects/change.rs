//! `PUT /api/v1/projects/{project}`: changes a project's name and limits; fields missing in the body stay.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use syclscope_language::api::ProjectChange;

use crate::app::App;
use crate::auth::change as changed;
use crate::db::projects::{self, NotAChange};
use crate::db::{DbError, audit};
use crate::http::error::AppError;
use crate::http::extract::{Body, Guard as _, InProject, acts::ChangeProject};

type Guard = InProject<ChangeProject>;

pub(crate) async fn change(
    InProject { project, principal, .. }: Guard,
    State(app): State<Arc<App>>,
    Body(wanted): Body<ProjectChange>,
) -> Result<StatusCode, AppError> {
    let mut transaction = app.database()?.writing().await?;
    let found = projects::find(&mut transaction, &project).await?.ok_or(AppError::NoSuchProject)?;
    let (now, said) =
        found.with(&wanted).map_err(|error: NotAChange| AppError::BadRequest(error.to_string()))?;
    if !said.is_empty() {
        projects::change(&mut transaction, &now).await?;
        let name = project.as_str();
        let line = changed(&principal, Guard::ACTION, Some(name), name, Some(said));
        audit::add(&mut transaction, &line).await?;
        transaction.commit().await.map_err(DbError::from)?;
    }
    Ok(StatusCode::NO_CONTENT)
}
