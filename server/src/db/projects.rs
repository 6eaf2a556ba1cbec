//! Projects: what traces, members and limits belong to.

use std::fmt;
use std::str::FromStr;

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{Connection, DbError, found};

/// Longest short name.
const LONGEST: usize = 40;

/// A project's short name, as addresses have it: lower-case letters, digits, and dashes between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId(String);

impl ProjectId {
    /// The letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The project that is there from the start.
impl Default for ProjectId {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is no short name of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a project's name in addresses has 1 to {LONGEST} lower-case letters, digits, and dashes between them"
)]
pub struct NotAProject;

impl FromStr for ProjectId {
    type Err = NotAProject;

    fn from_str(text: &str) -> Result<Self, NotAProject> {
        let is_valid = (1..=LONGEST).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-');
        if is_valid { Ok(Self(text.to_owned())) } else { Err(NotAProject) }
    }
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its short name.
    pub id: ProjectId,
    /// Its name for people.
    pub name: String,
    /// Most bytes of all its traces together.
    pub quota_bytes: Option<u64>,
    /// After how many days a trace that nobody has pinned goes.
    pub retention_days: Option<u64>,
}

/// Adds a project without limits.
///
/// # Errors
/// [`DbError::Exists`] when there is one of this short name.
pub async fn add(connection: &mut Connection, id: &ProjectId, name: &str) -> Result<(), DbError> {
    let insert = sqlx::query("INSERT INTO projects (id, name) VALUES ($1, $2)");
    insert.bind(id.as_str()).bind(name).execute(connection).await?;
    Ok(())
}

/// The project of a short name.
///
/// # Errors
/// When the database gives no answer.
pub async fn find(connection: &mut Connection, id: &ProjectId) -> Result<Option<Project>, DbError> {
    let select = sqlx::query("SELECT id, name, quota_bytes, retention_days FROM projects WHERE id = $1");
    select.bind(id.as_str()).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Every project, by short name.
///
/// # Errors
/// When the database gives no answer.
pub async fn all(connection: &mut Connection) -> Result<Vec<Project>, DbError> {
    let select = sqlx::query("SELECT id, name, quota_bytes, retention_days FROM projects ORDER BY id");
    select.fetch_all(connection).await?.iter().map(read).collect()
}

fn read(row: &AnyRow) -> Result<Project, DbError> {
    Ok(Project {
        id: ProjectId(row.try_get("id")?),
        name: row.try_get("name")?,
        quota_bytes: row.try_get::<Option<i64>, _>("quota_bytes")?.map(found),
        retention_days: row.try_get::<Option<i64>, _>("retention_days")?.map(found),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[tokio::test]
    async fn there_is_one_project_and_there_can_be_more() {
        for base in testing::databases().await {
            let mut connection = base.db.reading().await.unwrap();
            let runs: ProjectId = "nightly-2".parse().unwrap();
            add(&mut connection, &runs, "Nightly runs").await.unwrap();
            assert!(matches!(add(&mut connection, &runs, "again").await, Err(DbError::Exists)));
            let names: Vec<_> =
                all(&mut connection).await.unwrap().into_iter().map(|project| project.name).collect();
            assert_eq!(names, ["Default", "Nightly runs"]);
            let found = find(&mut connection, &ProjectId::default()).await.unwrap().unwrap();
            assert_eq!((found.quota_bytes, found.retention_days), (None, None));
        }
    }

    #[test]
    fn short_names_need_no_escape_anywhere() {
        for text in ["a", "default", "nightly-2", &"a".repeat(LONGEST)] {
            assert_eq!(text.parse::<ProjectId>().map(|id| id.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "-", "a-", "A", "a b", "../x", "é", &"a".repeat(LONGEST + 1)] {
            assert_eq!(text.parse::<ProjectId>(), Err(NotAProject), "{text}");
        }
    }
}
