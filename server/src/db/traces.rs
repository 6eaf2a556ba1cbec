//! Traces: a row for each, from the time its bytes are durable until they are removed.

use sqlx::Row as _;
use sqlx::any::{Any, AnyArguments, AnyRow};
use sqlx::query::Query;

use super::projects::ProjectId;
use super::{Connection, DbError, corrupt, found, identity, name_and_kind, stored};
use crate::auth::identity::Identity;
use syclscope_system::id::Id;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRow {
    pub id: Id,
    pub project: ProjectId,
    /// Display name of the file.
    pub name: String,
    /// Size of the original, in bytes.
    pub size_bytes: u64,
    /// Digest of the original, in hexadecimal; `None` if it was stored before digests were introduced.
    pub sha256: Option<String>,
    pub stored_unix_ns: u64,
    pub uploaded_by: Option<Identity>,
    /// True if it is exempt from retention.
    pub is_pinned: bool,
}

/// Adds a trace.
///
/// # Errors
/// Returns [`DbError::Exists`] if its project has a trace with this id or these bytes, [`DbError::Missing`] if there is
/// no such project.
pub async fn add(connection: &mut Connection, row: &TraceRow) -> Result<(), DbError> {
    let insert = sqlx::query(
        "INSERT INTO traces (id, project, name, size_bytes, sha256, stored_unix_ns, uploaded_by, pinned, by_kind) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    );
    bound(insert, row).execute(connection).await?;
    Ok(())
}

/// Adds a trace unless there is one with this id or these bytes. True if it was added.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such project.
pub async fn add_new(connection: &mut Connection, row: &TraceRow) -> Result<bool, DbError> {
    let insert = sqlx::query(
        "INSERT INTO traces (id, project, name, size_bytes, sha256, stored_unix_ns, uploaded_by, pinned, by_kind) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
    );
    Ok(bound(insert, row).execute(connection).await?.rows_affected() > 0)
}

fn bound(insert: Query<'static, Any, AnyArguments>, row: &TraceRow) -> Query<'static, Any, AnyArguments> {
    let insert = insert.bind(row.id.to_string()).bind(row.project.to_string()).bind(row.name.clone());
    let insert =
        insert.bind(stored(row.size_bytes)).bind(row.sha256.clone()).bind(stored(row.stored_unix_ns));
    let (by, kind) = name_and_kind(row.uploaded_by.as_ref());
    insert.bind(by.map(str::to_owned)).bind(i64::from(row.is_pinned)).bind(kind)
}

/// Returns every trace, oldest first.
pub async fn all(connection: &mut Connection) -> Result<Vec<TraceRow>, DbError> {
    let select =
        sqlx::query("SELECT * FROM traces WHERE deleted_unix_ns IS NULL ORDER BY stored_unix_ns, id");
    select.fetch_all(connection).await?.iter().map(read).collect()
}

pub async fn find(connection: &mut Connection, id: &Id) -> Result<Option<TraceRow>, DbError> {
    let select = sqlx::query("SELECT * FROM traces WHERE id = $1 AND deleted_unix_ns IS NULL");
    select.bind(id.as_str()).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

pub async fn with_bytes(
    connection: &mut Connection,
    project: &ProjectId,
    sha256: &str,
) -> Result<Option<TraceRow>, DbError> {
    let select =
        sqlx::query("SELECT * FROM traces WHERE project = $1 AND sha256 = $2 AND deleted_unix_ns IS NULL");
    let found = select.bind(project.as_str()).bind(sha256).fetch_optional(connection).await?;
    found.map(|row| read(&row)).transpose()
}

/// Marks a trace as deleted, which hides it. True if it existed.
pub async fn delete(connection: &mut Connection, id: &Id, now_unix_ns: u64) -> Result<bool, DbError> {
    let update =
        sqlx::query("UPDATE traces SET deleted_unix_ns = $2 WHERE id = $1 AND deleted_unix_ns IS NULL");
    let done = update.bind(id.as_str()).bind(stored(now_unix_ns)).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Returns deleted traces whose bytes may still exist.
pub async fn deleted(connection: &mut Connection) -> Result<Vec<Id>, DbError> {
    let select = sqlx::query("SELECT id FROM traces WHERE deleted_unix_ns IS NOT NULL");
    select.fetch_all(connection).await?.iter().map(read_id).collect()
}

/// Removes the row of a deleted trace whose bytes have been removed.
pub async fn forget(connection: &mut Connection, id: &Id) -> Result<(), DbError> {
    let delete = sqlx::query("DELETE FROM traces WHERE id = $1 AND deleted_unix_ns IS NOT NULL");
    delete.bind(id.as_str()).execute(connection).await?;
    Ok(())
}

/// Returns the ids of all traces, including deleted ones.
pub async fn all_ids(connection: &mut Connection) -> Result<Vec<Id>, DbError> {
    sqlx::query("SELECT id FROM traces").fetch_all(connection).await?.iter().map(read_id).collect()
}

fn read_id(row: &AnyRow) -> Result<Id, DbError> {
    row.try_get::<String, _>("id")?.parse().map_err(|error| corrupt(&error))
}

fn read(row: &AnyRow) -> Result<TraceRow, DbError> {
    Ok(TraceRow {
        id: read_id(row)?,
        project: row.try_get::<String, _>("project")?.parse().map_err(|error| corrupt(&error))?,
        name: row.try_get("name")?,
        size_bytes: found(row.try_get("size_bytes")?),
        sha256: row.try_get("sha256")?,
        stored_unix_ns: found(row.try_get("stored_unix_ns")?),
        uploaded_by: identity(row, "uploaded_by")?,
        is_pinned: row.try_get::<i64, _>("pinned")? != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{labels, testing};
    use super::*;

    fn trace(name: &str, sha256: Option<&str>, stored_unix_ns: u64) -> TraceRow {
        TraceRow {
            id: Id::for_bytes(name.as_bytes()),
            project: ProjectId::default(),
            name: name.to_owned(),
            size_bytes: 3 << 40,
            sha256: sha256.map(str::to_owned),
            stored_unix_ns,
            uploaded_by: None,
            is_pinned: false,
        }
    }

    #[tokio::test]
    async fn traces_are_found_and_deleted() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let (old, new) = (trace("old", None, 1), trace("new ünd \"odd\"'; --", Some("ab"), 2));
            let new = TraceRow { uploaded_by: Some(Identity::token("me")), is_pinned: true, ..new };
            for row in [&old, &new] {
                add(connection, row).await.unwrap();
            }
            assert_eq!(find(connection, &new.id).await.unwrap().as_ref(), Some(&new));
            assert!(delete(connection, &new.id, 3).await.unwrap());
            assert!(!delete(connection, &new.id, 4).await.unwrap());
            assert_eq!(find(connection, &new.id).await.unwrap(), None);
            assert_eq!(find(connection, &old.id).await.unwrap(), Some(old));
            assert_eq!(all_ids(connection).await.unwrap().len(), 2, "its bytes are still there");
        }
    }

    #[tokio::test]
    async fn a_project_has_each_trace_once() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let (first, again) = (trace("first", Some("ab"), 1), trace("again", Some("ab"), 2));
            let project = ProjectId::default();
            add(connection, &first).await.unwrap();
            assert!(matches!(add(connection, &again).await, Err(DbError::Exists)));
            assert_eq!(with_bytes(connection, &project, "ab").await.unwrap(), Some(first.clone()));
            let elsewhere = TraceRow { project: "nowhere".parse().unwrap(), ..again.clone() };
            assert!(matches!(add(connection, &elsewhere).await, Err(DbError::Missing)));
            assert!(delete(connection, &first.id, 3).await.unwrap());
            assert_eq!(with_bytes(connection, &project, "ab").await.unwrap(), None);
            add(connection, &again).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_trace_has_labels() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let row = trace("labelled", None, 1);
            let some =
                [("branch", "main"), ("machine", "pvc")].map(|(key, value)| (key.into(), value.into()));
            let wanted = labels::Labels::from(some);
            assert!(matches!(labels::set(connection, &row.id, &wanted).await, Err(DbError::Missing)));
            add(connection, &row).await.unwrap();
            for _ in 0..2 {
                labels::set(connection, &row.id, &wanted).await.unwrap();
            }
            assert_eq!(labels::on_trace(connection, &row.id).await.unwrap(), wanted);
            let known = labels::keys(connection, &ProjectId::default()).await.unwrap();
            let known: Vec<_> = known.iter().map(|key| (key.key.as_str(), key.values.len())).collect();
            assert_eq!(known, [("branch", 1), ("machine", 1)]);
            assert!(labels::remove(connection, &row.id, "branch").await.unwrap());
            assert!(!labels::remove(connection, &row.id, "branch").await.unwrap());
            assert_eq!(labels::on_trace(connection, &row.id).await.unwrap().len(), 1);
        }
    }
}
