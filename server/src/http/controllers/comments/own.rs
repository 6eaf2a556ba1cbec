//! Ownership of comments.

use syclscope_language::api::CommentEntry;

use crate::auth::{Action, Principal};
use crate::db::{Connection, comments};
use crate::http::error::AppError;
use crate::storage::Stored;
use syclscope_system::id::Id;

/// A comment to change, and the action: on an own comment, or on another's, if permitted.
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
