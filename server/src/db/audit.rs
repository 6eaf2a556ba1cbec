//! The audit log. A change and its entry are written in one transaction.

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};
use syclscope_language::api::{AuditEntry, IdentityKind};

use super::projects::ProjectId;
use super::{Connection, DbError, found, identity, name_and_kind, stored};
use crate::auth::identity::Identity;
use syclscope_system::id::Id;

pub async fn add(connection: &mut Connection, entry: &AuditEntry) -> Result<(), DbError> {
    let id = Id::random().map_err(|error| DbError::Failed(sqlx::Error::Io(error).into()))?;
    let insert = sqlx::query(
        "INSERT INTO audit (id, at_unix_ns, name, action, project, subject, detail, by_kind) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    );
    let insert = insert.bind(id.as_str()).bind(stored(entry.at_unix_ns)).bind(&entry.by).bind(&entry.action);
    let insert = insert.bind(&entry.project).bind(&entry.subject).bind(&entry.detail);
    insert.bind(entry.by_kind.map(IdentityKind::as_str)).execute(connection).await?;
    Ok(())
}

/// Returns the newest `limit` entries of a project before a time. With `and_general`, entries without a project are
/// included, such as those of tokens for all projects.
pub async fn list(
    connection: &mut Connection,
    project: &ProjectId,
    and_general: bool,
    before_unix_ns: u64,
    limit: u32,
) -> Result<Vec<AuditEntry>, DbError> {
    let general = if and_general { " OR project IS NULL" } else { "" };
    let select = sqlx::query(AssertSqlSafe(format!(
        "SELECT * FROM audit WHERE (project = $1{general}) AND at_unix_ns < $2 ORDER BY at_unix_ns DESC, id LIMIT $3"
    )));
    let select = select.bind(project.as_str()).bind(stored(before_unix_ns)).bind(i64::from(limit));
    select.fetch_all(connection).await?.iter().map(read).collect()
}

/// Returns the number of changes of two kinds by an identity in a project since a time. Clients without an
/// identity are counted together.
pub async fn count_since(
    connection: &mut Connection,
    project: &ProjectId,
    by: Option<&Identity>,
    actions: [&str; 2],
    since_unix_ns: u64,
) -> Result<u64, DbError> {
    let select = sqlx::query(
        "SELECT CAST(COUNT(*) AS BIGINT) AS count FROM audit WHERE project = $1 AND at_unix_ns >= $2 \
         AND COALESCE(name, '') = $3 AND COALESCE(by_kind, '') = $4 AND (action = $5 OR action = $6)",
    );
    let select = select.bind(project.as_str()).bind(stored(since_unix_ns));
    let (name, kind) = name_and_kind(by);
    let select = select.bind(name.unwrap_or_default()).bind(kind.unwrap_or_default());
    Ok(found(select.bind(actions[0]).bind(actions[1]).fetch_one(connection).await?.try_get("count")?))
}

fn read(row: &AnyRow) -> Result<AuditEntry, DbError> {
    let identity = identity(row, "name")?;
    Ok(AuditEntry {
        at_unix_ns: found(row.try_get("at_unix_ns")?),
        by: identity.as_ref().map(|identity| identity.name.clone()),
        by_kind: identity.and_then(|identity| identity.kind),
        action: row.try_get("action")?,
        project: row.try_get("project")?,
        subject: row.try_get("subject")?,
        detail: row.try_get("detail")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[tokio::test]
    async fn the_newest_changes_come_first() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let entry = |at: u64, project: Option<&str>| AuditEntry {
                at_unix_ns: at,
                by: (at > 1).then(|| "ada".to_owned()),
                by_kind: (at > 1).then_some(if at == 2 { IdentityKind::User } else { IdentityKind::Token }),
                action: "upload".to_owned(),
                project: project.map(str::to_owned),
                subject: format!("trace {at}"),
                detail: None,
            };
            for at in 1..=3 {
                add(connection, &entry(at, Some("default"))).await.unwrap();
            }
            add(connection, &entry(4, None)).await.unwrap();
            let project = ProjectId::default();
            let seen = list(connection, &project, false, u64::MAX, 2).await.unwrap();
            assert_eq!(seen, [entry(3, Some("default")), entry(2, Some("default"))]);
            assert_eq!(list(connection, &project, false, 2, 9).await.unwrap(), [entry(1, Some("default"))]);
            let seen = list(connection, &project, true, u64::MAX, 2).await.unwrap();
            assert_eq!(seen, [entry(4, None), entry(3, Some("default"))]);
            for (by, since, count) in [
                (Some(Identity::user("ada")), 0, 1),
                (Some(Identity::token("ada")), 0, 1),
                (Some(Identity::user("ada")), 3, 0),
                (None, 0, 1),
                (Some(Identity::user("eve")), 0, 0),
            ] {
                let seen = count_since(connection, &project, by.as_ref(), ["upload", "comment"], since)
                    .await
                    .unwrap();
                assert_eq!(seen, count, "{by:?} since {since}");
            }
            let others = count_since(connection, &project, None, ["comment", "x"], 0).await.unwrap();
            assert_eq!(others, 0, "other changes don't count");
        }
    }
}
