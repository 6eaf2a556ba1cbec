//! People who can be mentioned in comments.

use sqlx::Row as _;

use crate::db::projects::ProjectId;
use crate::db::{Connection, DbError, members, stored};
use syclscope_system::id::Id;

/// Returns names that can be mentioned on a trace: members of its project, owners of tokens that are valid
/// there, and authors of comments on it.
pub async fn people(
    connection: &mut Connection,
    project: &ProjectId,
    trace: &Id,
    now_unix_ns: u64,
) -> Result<Vec<String>, DbError> {
    let select = sqlx::query(
        "SELECT person FROM members WHERE project = $1 AND person <> $2 \
         UNION SELECT name AS person FROM tokens WHERE (project IS NULL OR project = $1) \
         AND revoked_unix_ns IS NULL AND (expires_unix_ns IS NULL OR expires_unix_ns > $3) \
         UNION SELECT made_by AS person FROM comments WHERE trace = $4 AND made_by IS NOT NULL",
    );
    let select = select.bind(project.as_str()).bind(members::EVERYBODY).bind(stored(now_unix_ns));
    let rows = select.bind(trace.as_str()).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(row.try_get("person")?)).collect()
}
