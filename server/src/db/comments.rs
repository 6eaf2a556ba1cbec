//! Comments on traces, and their mentions.
//!
//! Every change has a number, which is larger than the number of every change committed before. Servers that
//! share the database use it to find new changes.

use std::collections::HashMap;

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};
use syclscope_language::api::{CommentEntry, IdentityKind, Mention};
use syclscope_system::id::Id;

use super::{Connection, DbError, corrupt, found, identity, members, stored};
use crate::auth::identity::Identity;
use crate::db::projects::ProjectId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentRow {
    pub trace: Id,
    pub entry: CommentEntry,
}

/// Allocates the number of a change. Other allocations wait until this transaction ends.
pub async fn next_change(transaction: &mut Connection) -> Result<u64, DbError> {
    let update = sqlx::query("UPDATE comment_changes SET number = number + 1 WHERE id = 1 RETURNING number");
    Ok(found(update.fetch_one(transaction).await?.try_get("number")?))
}

pub async fn last_change(connection: &mut Connection) -> Result<u64, DbError> {
    let select = sqlx::query("SELECT number FROM comment_changes WHERE id = 1");
    Ok(found(select.fetch_one(connection).await?.try_get("number")?))
}

/// Adds a comment.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such trace, or no such parent comment.
pub async fn add(
    transaction: &mut Connection,
    trace: &Id,
    entry: &CommentEntry,
    by_kind: Option<IdentityKind>,
) -> Result<(), DbError> {
    let insert = sqlx::query(
        "INSERT INTO comments (id, trace, reply_to, pin, about, words, made_by, made_unix_ns, change, by_kind) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    );
    let insert = insert.bind(&entry.id).bind(trace.as_str()).bind(&entry.reply_to);
    let insert = insert.bind(entry.pin.as_ref().map(ToString::to_string)).bind(&entry.about);
    let insert = insert.bind(&entry.text).bind(&entry.by).bind(stored(entry.made_unix_ns));
    let insert = insert.bind(stored(entry.change)).bind(by_kind.map(IdentityKind::as_str));
    insert.execute(&mut *transaction).await?;
    mention(transaction, entry).await
}

/// Stores a comment's new state: its text, mentions, edit time, and deletion.
pub async fn change(
    transaction: &mut Connection,
    entry: &CommentEntry,
    now_unix_ns: u64,
) -> Result<(), DbError> {
    let update = sqlx::query(
        "UPDATE comments SET words = $2, edited_unix_ns = $3, deleted_unix_ns = $4, change = $5 WHERE id = $1",
    );
    let update = update.bind(&entry.id).bind(&entry.text).bind(entry.edited_unix_ns.map(stored));
    let update = update.bind(entry.is_deleted.then_some(stored(now_unix_ns))).bind(stored(entry.change));
    update.execute(&mut *transaction).await?;
    let delete = sqlx::query("DELETE FROM mentions WHERE comment = $1");
    delete.bind(&entry.id).execute(&mut *transaction).await?;
    mention(transaction, entry).await
}

async fn mention(transaction: &mut Connection, entry: &CommentEntry) -> Result<(), DbError> {
    for person in &entry.mentions {
        let insert = sqlx::query("INSERT INTO mentions (comment, person) VALUES ($1, $2)");
        insert.bind(&entry.id).bind(person).execute(&mut *transaction).await?;
    }
    Ok(())
}

/// Removes the comments of a trace that were deleted before a time and have no replies.
pub async fn forget(transaction: &mut Connection, trace: &Id, before_unix_ns: u64) -> Result<(), DbError> {
    let delete = sqlx::query(
        "DELETE FROM comments WHERE trace = $1 AND deleted_unix_ns < $2 \
         AND id NOT IN (SELECT reply_to FROM comments WHERE trace = $1 AND reply_to IS NOT NULL)",
    );
    delete.bind(trace.as_str()).bind(stored(before_unix_ns)).execute(transaction).await?;
    Ok(())
}

/// Returns the number of a trace's comments, including deleted ones.
pub async fn count(connection: &mut Connection, trace: &Id) -> Result<u64, DbError> {
    let select = sqlx::query("SELECT CAST(COUNT(*) AS BIGINT) AS count FROM comments WHERE trace = $1");
    Ok(found(select.bind(trace.as_str()).fetch_one(connection).await?.try_get("count")?))
}

pub async fn find(connection: &mut Connection, trace: &Id, id: &Id) -> Result<Option<CommentEntry>, DbError> {
    let select = sqlx::query("SELECT * FROM comments WHERE trace = $1 AND id = $2");
    let row = select.bind(trace.as_str()).bind(id.as_str()).fetch_optional(&mut *connection).await?;
    Ok(with_mentions(connection, row.as_slice()).await?.pop().map(|row| row.entry))
}

pub async fn author(connection: &mut Connection, id: &str) -> Result<Option<Identity>, DbError> {
    let select = sqlx::query("SELECT made_by, by_kind FROM comments WHERE id = $1");
    let row = select.bind(id).fetch_optional(connection).await?;
    Ok(row.map(|row| identity(&row, "made_by")).transpose()?.flatten())
}

/// Returns comments of a trace with changes after number `after_change`, oldest first.
pub async fn on_trace(
    connection: &mut Connection,
    trace: &Id,
    after_change: u64,
) -> Result<Vec<CommentEntry>, DbError> {
    let select =
        sqlx::query("SELECT * FROM comments WHERE trace = $1 AND change > $2 ORDER BY made_unix_ns, id");
    let select = select.bind(trace.as_str()).bind(stored(after_change));
    let rows = select.fetch_all(&mut *connection).await?;
    Ok(with_mentions(connection, &rows).await?.into_iter().map(|row| row.entry).collect())
}

/// Returns comments of all traces with changes after number `after_change`, up to a limit, in the order of
/// their changes.
pub async fn changed(
    connection: &mut Connection,
    after_change: u64,
    limit: u32,
) -> Result<Vec<CommentRow>, DbError> {
    let select = sqlx::query("SELECT * FROM comments WHERE change > $1 ORDER BY change LIMIT $2");
    let select = select.bind(stored(after_change)).bind(i64::from(limit));
    let rows = select.fetch_all(&mut *connection).await?;
    with_mentions(connection, &rows).await
}

pub async fn projects_mentioning(connection: &mut Connection, person: &str) -> Result<Vec<String>, DbError> {
    let select = sqlx::query(
        "SELECT DISTINCT traces.project AS project FROM mentions \
         JOIN comments ON comments.id = mentions.comment JOIN traces ON traces.id = comments.trace \
         WHERE mentions.person = $1 AND traces.deleted_unix_ns IS NULL AND comments.deleted_unix_ns IS NULL",
    );
    let rows = select.bind(person).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(row.try_get("project")?)).collect()
}

/// Returns the newest comments in some projects that mention a person.
pub async fn mentioning(
    connection: &mut Connection,
    person: &str,
    projects: &[String],
    limit: u32,
) -> Result<Vec<Mention>, DbError> {
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<String> = (3..projects.len() + 3).map(|place| format!("${place}")).collect();
    let text = format!(
        "SELECT comments.*, traces.name AS trace_name FROM mentions \
         JOIN comments ON comments.id = mentions.comment JOIN traces ON traces.id = comments.trace \
         WHERE mentions.person = $1 AND traces.deleted_unix_ns IS NULL AND comments.deleted_unix_ns IS NULL \
         AND traces.project IN ({}) ORDER BY comments.made_unix_ns DESC, comments.id LIMIT $2",
        places.join(", ")
    );
    let mut select = sqlx::query(AssertSqlSafe(text)).bind(person).bind(i64::from(limit));
    for project in projects {
        select = select.bind(project);
    }
    let rows = select.fetch_all(&mut *connection).await?;
    let comments = with_mentions(connection, &rows).await?;
    let line = |(row, CommentRow { trace, entry }): (&AnyRow, CommentRow)| {
        Ok(Mention { trace: trace.to_string(), trace_name: row.try_get("trace_name")?, comment: entry })
    };
    rows.iter().zip(comments).map(line).collect()
}

async fn with_mentions(connection: &mut Connection, rows: &[AnyRow]) -> Result<Vec<CommentRow>, DbError> {
    let mut comments: Vec<CommentRow> = rows.iter().map(read).collect::<Result<_, _>>()?;
    let mut traces: Vec<Id> = comments.iter().map(|row| row.trace.clone()).collect();
    traces.sort();
    traces.dedup();
    let mut named: HashMap<String, Vec<String>> = HashMap::new();
    for trace in traces {
        let select = sqlx::query(
            "SELECT mentions.comment AS comment, mentions.person AS person FROM mentions \
             JOIN comments ON comments.id = mentions.comment WHERE comments.trace = $1 ORDER BY mentions.person",
        );
        for row in select.bind(trace.as_str()).fetch_all(&mut *connection).await? {
            named.entry(row.try_get("comment")?).or_default().push(row.try_get("person")?);
        }
    }
    for CommentRow { entry, .. } in &mut comments {
        entry.mentions = named.remove(&entry.id).unwrap_or_default();
    }
    Ok(comments)
}

fn read(row: &AnyRow) -> Result<CommentRow, DbError> {
    let pin = row.try_get::<Option<String>, _>("pin")?;
    let entry = CommentEntry {
        id: row.try_get("id")?,
        reply_to: row.try_get("reply_to")?,
        pin: pin.map(|text| text.parse().map_err(|error| corrupt(&error))).transpose()?,
        about: row.try_get("about")?,
        text: row.try_get("words")?,
        mentions: Vec::new(),
        by: row.try_get("made_by")?,
        made_unix_ns: found(row.try_get("made_unix_ns")?),
        edited_unix_ns: row.try_get::<Option<i64>, _>("edited_unix_ns")?.map(found),
        is_deleted: row.try_get::<Option<i64>, _>("deleted_unix_ns")?.is_some(),
        change: found(row.try_get("change")?),
    };
    let trace = row.try_get::<String, _>("trace")?.parse().map_err(|error| corrupt(&error))?;
    Ok(CommentRow { trace, entry })
}

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

#[cfg(test)]
mod tests;
