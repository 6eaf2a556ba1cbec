//! Projects, which own traces, members and limits.

use std::fmt;
use std::str::FromStr;

use sqlx::Row as _;
use sqlx::any::AnyRow;
use syclscope_language::api::ProjectChange;

use super::{Connection, DbError, found, stored};

/// Maximum length of a short name in bytes.
const MAX_ID_BYTES: usize = 40;
/// Maximum length of a display name in bytes.
const MAX_NAME_BYTES: usize = 200;

/// A project's short name, as in URLs: lower-case letters, digits, and dashes between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId(String);

impl ProjectId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The initial project.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a project's name in URLs must have 1 to {MAX_ID_BYTES} lower-case letters, digits, and dashes between them"
)]
pub struct NotAProject;

impl FromStr for ProjectId {
    type Err = NotAProject;

    fn from_str(text: &str) -> Result<Self, NotAProject> {
        let is_valid = (1..=MAX_ID_BYTES).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-');
        if is_valid { Ok(Self(text.to_owned())) } else { Err(NotAProject) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    pub name: String,
    /// Maximum total size of its traces.
    pub quota_bytes: Option<u64>,
    /// Days after which an unpinned trace expires.
    pub retention_days: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAChange {
    #[error("a project's name must be one line of 1 to {MAX_NAME_BYTES} bytes")]
    Name,
    /// Traces would expire on the day of their upload.
    #[error("the retention must be at least one day")]
    Retention,
}

impl Project {
    /// Returns the changed project, and a description of the change, empty if nothing changed.
    ///
    /// # Errors
    /// Returns an error if the change is invalid.
    pub fn with(&self, change: &ProjectChange) -> Result<(Self, String), NotAChange> {
        let mut changed = self.clone();
        let mut parts = Vec::new();
        if let Some(name) = &change.name {
            if !(1..=MAX_NAME_BYTES).contains(&name.trim().len()) || name.chars().any(char::is_control) {
                return Err(NotAChange::Name);
            }
            changed.name.clone_from(name);
        }
        changed.quota_bytes = change.quota_bytes.unwrap_or(self.quota_bytes);
        changed.retention_days = change.retention_days.unwrap_or(self.retention_days);
        if changed.retention_days == Some(0) {
            return Err(NotAChange::Retention);
        }
        if changed.name != self.name {
            parts.push(format!("name {}", changed.name));
        }
        if changed.quota_bytes != self.quota_bytes {
            let quota =
                changed.quota_bytes.map_or_else(|| "none".to_owned(), |bytes| format!("{bytes} bytes"));
            parts.push(format!("quota {quota}"));
        }
        if changed.retention_days != self.retention_days {
            let days = changed
                .retention_days
                .map_or_else(|| "none".to_owned(), |days| syclscope_text::counted(days, "day"));
            parts.push(format!("retention {days}"));
        }
        Ok((changed, parts.join(", ")))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    pub traces: u64,
    pub bytes: u64,
}

/// Adds a project without limits.
///
/// # Errors
/// Returns [`DbError::Exists`] if there is a project with this short name.
pub async fn add(connection: &mut Connection, id: &ProjectId, name: &str) -> Result<(), DbError> {
    let insert = sqlx::query("INSERT INTO projects (id, name) VALUES ($1, $2)");
    insert.bind(id.as_str()).bind(name).execute(connection).await?;
    Ok(())
}

/// Adds a project under its short name, unless it exists.
pub async fn add_missing(connection: &mut Connection, id: &ProjectId) -> Result<(), DbError> {
    let insert = sqlx::query("INSERT INTO projects (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING");
    insert.bind(id.as_str()).bind(id.as_str()).execute(connection).await?;
    Ok(())
}

pub async fn find(connection: &mut Connection, id: &ProjectId) -> Result<Option<Project>, DbError> {
    let select = sqlx::query("SELECT id, name, quota_bytes, retention_days FROM projects WHERE id = $1");
    select.bind(id.as_str()).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Returns every project, by short name.
pub async fn all(connection: &mut Connection) -> Result<Vec<Project>, DbError> {
    let select = sqlx::query("SELECT id, name, quota_bytes, retention_days FROM projects ORDER BY id");
    select.fetch_all(connection).await?.iter().map(read).collect()
}

pub async fn usage(connection: &mut Connection, id: &ProjectId) -> Result<Use, DbError> {
    let select = sqlx::query(
        "SELECT CAST(COUNT(*) AS BIGINT) AS traces, CAST(COALESCE(SUM(size_bytes), 0) AS BIGINT) AS bytes \
         FROM traces WHERE project = $1 AND deleted_unix_ns IS NULL",
    );
    let row = select.bind(id.as_str()).fetch_one(connection).await?;
    Ok(Use { traces: found(row.try_get("traces")?), bytes: found(row.try_get("bytes")?) })
}

/// Locks a project against additions and changes by others until the transaction ends.
pub async fn hold(connection: &mut Connection, id: &ProjectId) -> Result<(), DbError> {
    sqlx::query("UPDATE projects SET id = id WHERE id = $1").bind(id.as_str()).execute(connection).await?;
    Ok(())
}

pub async fn change(connection: &mut Connection, project: &Project) -> Result<(), DbError> {
    let update =
        sqlx::query("UPDATE projects SET name = $2, quota_bytes = $3, retention_days = $4 WHERE id = $1");
    let update = update.bind(project.id.as_str()).bind(&project.name);
    let update = update.bind(project.quota_bytes.map(stored)).bind(project.retention_days.map(stored));
    update.execute(connection).await?;
    Ok(())
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

    #[tokio::test]
    async fn what_a_project_uses_is_what_its_traces_take() {
        use super::super::traces::{self, TraceRow};
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let id = ProjectId::default();
            assert_eq!(usage(connection, &id).await.unwrap(), Use::default());
            for size_bytes in [5, 3 << 40] {
                let row = TraceRow {
                    id: syclscope_system::id::Id::for_bytes(&[size_bytes as u8]),
                    project: id.clone(),
                    name: "a".to_owned(),
                    size_bytes,
                    sha256: None,
                    stored_unix_ns: 1,
                    uploaded_by: None,
                    is_pinned: false,
                };
                traces::add(connection, &row).await.unwrap();
            }
            assert_eq!(usage(connection, &id).await.unwrap(), Use { traces: 2, bytes: (3 << 40) + 5 });
            let before = find(connection, &id).await.unwrap().unwrap();
            let wanted = ProjectChange { quota_bytes: Some(Some(7)), ..ProjectChange::default() };
            let (now, said) = before.with(&wanted).unwrap();
            assert_eq!(said, "quota 7 bytes");
            hold(connection, &id).await.unwrap();
            change(connection, &now).await.unwrap();
            assert_eq!(find(connection, &id).await.unwrap(), Some(now.clone()));
            assert_eq!(now.with(&wanted).unwrap(), (now.clone(), String::new()));
            let none = ProjectChange { quota_bytes: Some(None), ..ProjectChange::default() };
            assert_eq!(now.with(&none).unwrap().0, before);
            let never = ProjectChange { retention_days: Some(Some(0)), ..ProjectChange::default() };
            assert_eq!(now.with(&never), Err(NotAChange::Retention));
        }
    }

    #[test]
    fn short_names_need_no_escape_anywhere() {
        for text in ["a", "default", "nightly-2", &"a".repeat(MAX_ID_BYTES)] {
            assert_eq!(text.parse::<ProjectId>().map(|id| id.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "-", "a-", "A", "a b", "../x", "é", &"a".repeat(MAX_ID_BYTES + 1)] {
            assert_eq!(text.parse::<ProjectId>(), Err(NotAProject), "{text}");
        }
    }
}
