//! Expiry of traces by age: they are first marked, and deleted after a grace period. Pinned ones don't
//! expire.

use sqlx::Row as _;

use super::projects::ProjectId;
use super::{Connection, DbError, corrupt, stored};
use syclscope_system::id::Id;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpiredTrace {
    pub id: Id,
    pub project: ProjectId,
    pub name: String,
}

/// Unmarks the pinned traces of a project, and those within its current retention.
pub async fn unmark(
    connection: &mut Connection,
    project: &ProjectId,
    stored_before_unix_ns: u64,
) -> Result<(), DbError> {
    let stay = sqlx::query(
        "UPDATE traces SET leaves_unix_ns = NULL WHERE leaves_unix_ns IS NOT NULL AND project = $1 \
         AND (pinned <> 0 OR stored_unix_ns >= $2)",
    );
    stay.bind(project.as_str()).bind(stored(stored_before_unix_ns)).execute(connection).await?;
    Ok(())
}

/// Marks the traces of a project that were stored before a time, for deletion at `leaves_unix_ns`. Traces
/// already marked keep their time. Returns the number of newly marked traces.
pub async fn mark(
    connection: &mut Connection,
    project: &ProjectId,
    stored_before_unix_ns: u64,
    leaves_unix_ns: u64,
) -> Result<u64, DbError> {
    let before = stored(stored_before_unix_ns);
    let leave = sqlx::query(
        "UPDATE traces SET leaves_unix_ns = $3 WHERE project = $1 AND stored_unix_ns < $2 AND pinned = 0 \
         AND leaves_unix_ns IS NULL AND deleted_unix_ns IS NULL",
    );
    let leave = leave.bind(project.as_str()).bind(before).bind(stored(leaves_unix_ns));
    Ok(leave.execute(connection).await?.rows_affected())
}

/// Returns traces whose grace period has ended.
pub async fn expired(connection: &mut Connection, now_unix_ns: u64) -> Result<Vec<ExpiredTrace>, DbError> {
    let select = sqlx::query(
        "SELECT id, project, name FROM traces WHERE leaves_unix_ns <= $1 AND pinned = 0 AND deleted_unix_ns IS NULL",
    );
    let rows = select.bind(stored(now_unix_ns)).fetch_all(connection).await?;
    let over = |row: &sqlx::any::AnyRow| {
        Ok(ExpiredTrace {
            id: row.try_get::<String, _>("id")?.parse().map_err(|error| corrupt(&error))?,
            project: row.try_get::<String, _>("project")?.parse().map_err(|error| corrupt(&error))?,
            name: row.try_get("name")?,
        })
    };
    rows.iter().map(over).collect()
}

/// Deletes an expired trace, unless it was pinned meanwhile. True if it was deleted.
pub async fn delete(connection: &mut Connection, id: &Id, now_unix_ns: u64) -> Result<bool, DbError> {
    let update = sqlx::query(
        "UPDATE traces SET deleted_unix_ns = $2 WHERE id = $1 AND leaves_unix_ns <= $2 AND pinned = 0 \
         AND deleted_unix_ns IS NULL",
    );
    Ok(update.bind(id.as_str()).bind(stored(now_unix_ns)).execute(connection).await?.rows_affected() > 0)
}

/// Removes the mark of an expired trace. The next sweep marks it again, with the whole grace period.
pub async fn renew(connection: &mut Connection, id: &Id) -> Result<(), DbError> {
    let update = sqlx::query(
        "UPDATE traces SET leaves_unix_ns = NULL \
         WHERE id = $1 AND leaves_unix_ns IS NOT NULL AND deleted_unix_ns IS NULL",
    );
    update.bind(id.as_str()).execute(connection).await?;
    Ok(())
}

/// Removes the marks of all traces. The next sweep marks expired ones again, with the whole grace period.
pub async fn renew_all(connection: &mut Connection) -> Result<(), DbError> {
    let update = sqlx::query("UPDATE traces SET leaves_unix_ns = NULL WHERE leaves_unix_ns IS NOT NULL");
    update.execute(connection).await?;
    Ok(())
}

/// Pins a trace, which exempts it from retention, or unpins it. True if that changed anything.
pub async fn pin(connection: &mut Connection, id: &Id, is_pinned: bool) -> Result<bool, DbError> {
    let update = sqlx::query(
        "UPDATE traces SET pinned = $2, leaves_unix_ns = NULL \
         WHERE id = $1 AND pinned <> $2 AND deleted_unix_ns IS NULL",
    );
    let done = update.bind(id.as_str()).bind(i64::from(is_pinned)).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

#[cfg(test)]
mod tests {
    use super::super::traces::{self, TraceRow};
    use super::super::{figures, labels::Labels, listing, testing};
    use super::*;
    use crate::listing::ListQuery;

    #[tokio::test]
    async fn old_traces_are_marked_and_leave_unless_they_are_pinned() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let project = ProjectId::default();
            let mut ids = Vec::new();
            for (number, name) in ["old", "older", "pinned", "young"].into_iter().enumerate() {
                let row = TraceRow {
                    id: Id::for_bytes(name.as_bytes()),
                    project: project.clone(),
                    name: name.to_owned(),
                    size_bytes: 1,
                    sha256: None,
                    stored_unix_ns: if name == "young" { 100 } else { number as u64 },
                    uploaded_by: None,
                    is_pinned: name == "pinned",
                };
                traces::add(connection, &row).await.unwrap();
                figures::set(connection, &row, &Labels::new(), None).await.unwrap();
                ids.push(row.id);
            }
            assert_eq!(mark(connection, &project, 50, 200).await.unwrap(), 2);
            assert_eq!(mark(connection, &project, 60, 300).await.unwrap(), 0, "marked once");
            let wanted = ListQuery { order: "name".parse().unwrap(), ..ListQuery::default() };
            let leaves = listing::list(connection, &wanted).await.unwrap();
            let leaves: Vec<_> = leaves.iter().map(|trace| trace.leaves_unix_ns).collect();
            assert_eq!(leaves, [Some(200), Some(200), None, None]);
            assert_eq!(expired(connection, 199).await.unwrap(), []);
            assert_eq!(expired(connection, 200).await.unwrap().len(), 2);
            assert!(pin(connection, &ids[1], true).await.unwrap());
            assert!(!pin(connection, &ids[1], true).await.unwrap(), "it is pinned already");
            assert!(delete(connection, &ids[0], 200).await.unwrap());
            for id in [&ids[0], &ids[1], &ids[2], &ids[3]] {
                assert!(!delete(connection, id, 200).await.unwrap());
            }
            assert!(pin(connection, &ids[1], false).await.unwrap());
            assert_eq!(mark(connection, &project, 50, 400).await.unwrap(), 1, "with the whole grace");
            unmark(connection, &project, 0).await.unwrap();
            assert_eq!(expired(connection, u64::MAX).await.unwrap(), [], "the project keeps everything now");
        }
    }
}
