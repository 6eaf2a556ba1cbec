//! Members and their roles in projects.

use sqlx::Row as _;
use syclscope_language::api::Role;

use super::projects::ProjectId;
use super::{Connection, DbError, corrupt};

/// Name for everyone who signs in.
pub const EVERYBODY: &str = "*";

/// Adds a member to a project, or changes their role.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such project.
pub async fn set(
    connection: &mut Connection,
    project: &ProjectId,
    person: &str,
    role: Role,
) -> Result<(), DbError> {
    let insert = sqlx::query(
        "INSERT INTO members (project, person, role) VALUES ($1, $2, $3) \
         ON CONFLICT (project, person) DO UPDATE SET role = excluded.role",
    );
    insert.bind(project.as_str()).bind(person).bind(role.name()).execute(connection).await?;
    Ok(())
}

/// Removes a member from a project. True if they were a member.
pub async fn remove(connection: &mut Connection, project: &ProjectId, person: &str) -> Result<bool, DbError> {
    let delete = sqlx::query("DELETE FROM members WHERE project = $1 AND person = $2");
    let done = delete.bind(project.as_str()).bind(person).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Returns the members of a project, by name.
pub async fn in_project(
    connection: &mut Connection,
    project: &ProjectId,
) -> Result<Vec<(String, Role)>, DbError> {
    let select = sqlx::query("SELECT person AS key, role FROM members WHERE project = $1 ORDER BY person");
    select.bind(project.as_str()).fetch_all(connection).await?.iter().map(read).collect()
}

/// Returns the roles of a person by project, including those of everyone who signs in, so a project may occur
/// twice.
pub async fn roles(connection: &mut Connection, person: &str) -> Result<Vec<(String, Role)>, DbError> {
    let select = sqlx::query("SELECT project AS key, role FROM members WHERE person = $1 OR person = $2");
    select.bind(person).bind(EVERYBODY).fetch_all(connection).await?.iter().map(read).collect()
}

fn read(row: &sqlx::any::AnyRow) -> Result<(String, Role), DbError> {
    let role: String = row.try_get("role")?;
    Ok((row.try_get("key")?, role.parse().map_err(|error| corrupt(&error))?))
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[tokio::test]
    async fn members_come_change_and_go() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let project = ProjectId::default();
            set(connection, &project, "ada", Role::Viewer).await.unwrap();
            set(connection, &project, "ada", Role::Admin).await.unwrap();
            set(connection, &project, EVERYBODY, Role::Viewer).await.unwrap();
            let nowhere = "nowhere".parse().unwrap();
            let failed = set(connection, &nowhere, "ada", Role::Viewer).await;
            assert!(matches!(failed, Err(DbError::Missing)));
            let ada = ("ada".to_owned(), Role::Admin);
            assert_eq!(
                in_project(connection, &project).await.unwrap(),
                [(EVERYBODY.to_owned(), Role::Viewer), ada.clone()]
            );
            let mut seen = roles(connection, "ada").await.unwrap();
            seen.sort();
            assert_eq!(
                seen,
                [("default".to_owned(), Role::Viewer), ("default".to_owned(), Role::Admin)],
                "their own role, and that of everybody"
            );
            assert_eq!(roles(connection, "bob").await.unwrap().len(), 1);
            assert!(remove(connection, &project, "ada").await.unwrap());
            assert!(!remove(connection, &project, "ada").await.unwrap());
        }
    }
}
