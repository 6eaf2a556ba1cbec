//! Common steps of all changes of comments: ownership, count, audit entry, notification of listeners.

use sqlx::{Any, Transaction};
use syclscope_language::api::CommentEntry;
use syclscope_system::id::Id;

use crate::app::App;
use crate::auth::{Action, Principal, change};
use crate::comments::{MAX_CHANGES, WINDOW_NS};
use crate::db::projects::ProjectId;
use crate::db::{Connection, DbError, audit, comments, now_unix_ns};
use crate::http::error::AppError;
use crate::storage::{self, Stored};

pub(super) struct Changing {
    pub(super) transaction: Transaction<'static, Any>,
    pub(super) number: u64,
    pub(super) now_unix_ns: u64,
    project: ProjectId,
}

impl Changing {
    /// Begins a change, unless the client has recently made too many.
    pub(super) async fn begin(app: &App, stored: &Stored, by: &Principal) -> Result<Self, AppError> {
        let (mut transaction, now_unix_ns) = (app.database()?.writing().await?, now_unix_ns());
        // From here on changes are serialized, so that the count is exact.
        let number = comments::next_change(&mut transaction).await?;
        storage::still_there(&mut transaction, &stored.id).await?;
        let (project, actions) = (stored.project.clone(), [Action::Comment, Action::ModerateComments]);
        let (since, actions) = (now_unix_ns.saturating_sub(WINDOW_NS), actions.map(Action::name));
        let lately =
            audit::count_since(&mut transaction, &project, by.identity().as_ref(), actions, since).await?;
        if lately >= MAX_CHANGES {
            return Err(AppError::TooFast);
        }
        Ok(Self { transaction, number, now_unix_ns, project })
    }

    /// Commits the change and its audit entry.
    pub(super) async fn end(
        mut self,
        app: &App,
        (by, action): (&Principal, Action),
        comment: &str,
        what: String,
    ) -> Result<(), AppError> {
        let line = change(by, action, Some(self.project.as_str()), comment, Some(what));
        audit::add(&mut self.transaction, &line).await?;
        self.transaction.commit().await.map_err(DbError::from)?;
        app.live.changed();
        Ok(())
    }
}

/// Returns the comment to change, and the action: on the client's own comment, or on another's, if permitted.
pub(super) async fn own(
    transaction: &mut Connection,
    stored: &Stored,
    principal: &Principal,
    id: &Id,
) -> Result<(CommentEntry, Action), AppError> {
    let found = comments::find(transaction, &stored.id, id).await?.ok_or(AppError::NoSuchComment)?;
    let author = comments::author(transaction, &found.id).await?;
    if principal.identity().zip(author).is_some_and(|(own, author)| own.is(&author)) {
        return Ok((found, Action::Comment));
    }
    let action = Action::ModerateComments;
    if !principal.may_in(stored.project.as_str(), action) {
        return Err(AppError::NotAllowed(action));
    }
    Ok((found, action))
}
