//! Uploads in parts, and their stored parts.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::labels::Labels;
use super::projects::ProjectId;
use super::{Connection, DbError, corrupt, found, identity, name_and_kind, stored};
use crate::auth::identity::Identity;
use syclscope_system::id::Id;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It accepts parts.
    Open,
    /// All parts are stored, and a server imports them.
    Importing,
    Done,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number, from 0.
    pub number: u64,
    pub size_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadRow {
    /// Its id, which its trace will also have.
    pub id: Id,
    pub project: ProjectId,
    pub name: String,
    pub size_bytes: u64,
    /// Digest of the whole, in hexadecimal, if the client knows it.
    pub sha256: Option<String>,
    pub labels: Labels,
    pub uploaded_by: Option<Identity>,
    /// Time of its announcement, the latest one if it was resumed, or of its latest part.
    pub begun_unix_ns: u64,
    pub phase: Phase,
    pub trace: Option<Id>,
    pub error: Option<String>,
}

/// Adds an upload.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such project.
pub async fn add(connection: &mut Connection, row: &UploadRow) -> Result<(), DbError> {
    let labels = serde_json::to_string(&row.labels).map_err(|error| corrupt(&error))?;
    let insert = sqlx::query(
        "INSERT INTO uploads (id, project, name, size_bytes, sha256, labels, uploaded_by, begun_unix_ns, state, by_kind) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    );
    let insert = insert.bind(row.id.as_str()).bind(row.project.as_str()).bind(&row.name);
    // An empty text means no digest.
    let sha256 = row.sha256.as_deref().unwrap_or_default();
    let (by, kind) = name_and_kind(row.uploaded_by.as_ref());
    let insert = insert.bind(stored(row.size_bytes)).bind(sha256).bind(labels).bind(by);
    let insert = insert.bind(stored(row.begun_unix_ns)).bind(name_of(row.phase)).bind(kind);
    insert.execute(connection).await?;
    Ok(())
}

pub async fn find(connection: &mut Connection, id: &Id) -> Result<Option<UploadRow>, DbError> {
    let select = sqlx::query("SELECT * FROM uploads WHERE id = $1");
    select.bind(id.as_str()).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Returns the latest unfinished upload of the same bytes by the same person.
pub async fn find_same(connection: &mut Connection, like: &UploadRow) -> Result<Option<UploadRow>, DbError> {
    let Some(sha256) = &like.sha256 else { return Ok(None) };
    let select = sqlx::query(
        "SELECT * FROM uploads WHERE project = $1 AND sha256 = $2 AND size_bytes = $3 \
         AND COALESCE(uploaded_by, '') = $4 AND COALESCE(by_kind, '') = $5 AND state IN ('open', 'importing') \
         ORDER BY begun_unix_ns DESC LIMIT 1",
    );
    let select = select.bind(like.project.as_str()).bind(sha256).bind(stored(like.size_bytes));
    let (by, kind) = name_and_kind(like.uploaded_by.as_ref());
    let select = select.bind(by.unwrap_or_default()).bind(kind.unwrap_or_default());
    select.fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Replaces the name, the labels and the time of a resumed upload that still accepts parts.
pub async fn describe(
    connection: &mut Connection,
    id: &Id,
    name: &str,
    labels: &Labels,
    now_unix_ns: u64,
) -> Result<(), DbError> {
    let labels = serde_json::to_string(labels).map_err(|error| corrupt(&error))?;
    let update = sqlx::query(
        "UPDATE uploads SET name = $2, labels = $3, begun_unix_ns = $4 WHERE id = $1 AND state = 'open'",
    );
    let update = update.bind(id.as_str()).bind(name).bind(labels).bind(stored(now_unix_ns));
    update.execute(connection).await?;
    Ok(())
}

/// Returns the announced bytes of a project's uploads that are no traces yet.
pub async fn unfinished_bytes(connection: &mut Connection, project: &ProjectId) -> Result<u64, DbError> {
    let select = sqlx::query(
        "SELECT CAST(COALESCE(SUM(size_bytes), 0) AS BIGINT) AS bytes FROM uploads \
         WHERE project = $1 AND state IN ('open', 'importing') \
         AND NOT EXISTS (SELECT 1 FROM traces WHERE traces.id = uploads.id)",
    );
    Ok(found(select.bind(project.as_str()).fetch_one(connection).await?.try_get("bytes")?))
}

/// Records a stored part. True if the upload still accepts parts.
pub async fn set_part(connection: &mut Connection, id: &Id, part: Part) -> Result<bool, DbError> {
    let insert = sqlx::query(
        "INSERT INTO upload_parts (upload, number, size_bytes) \
         SELECT id, $2, $3 FROM uploads WHERE id = $1 AND state = 'open' \
         ON CONFLICT (upload, number) DO UPDATE SET size_bytes = excluded.size_bytes",
    );
    let insert = insert.bind(id.as_str()).bind(stored(part.number)).bind(stored(part.size_bytes));
    Ok(insert.execute(connection).await?.rows_affected() > 0)
}

/// Removes the record of a part before the part is replaced. True if the upload still accepts parts. Its state can't
/// change until the transaction ends.
pub async fn forget_part(
    connection: &mut Connection,
    id: &Id,
    number: u64,
    now_unix_ns: u64,
) -> Result<bool, DbError> {
    let update = sqlx::query("UPDATE uploads SET begun_unix_ns = $2 WHERE id = $1 AND state = 'open'");
    let update = update.bind(id.as_str()).bind(stored(now_unix_ns));
    if update.execute(&mut *connection).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let delete = sqlx::query("DELETE FROM upload_parts WHERE upload = $1 AND number = $2");
    delete.bind(id.as_str()).bind(stored(number)).execute(connection).await?;
    Ok(true)
}

/// Returns the stored parts, by number.
pub async fn parts(connection: &mut Connection, id: &Id) -> Result<Vec<Part>, DbError> {
    let select = sqlx::query("SELECT number, size_bytes FROM upload_parts WHERE upload = $1 ORDER BY number");
    let rows = select.bind(id.as_str()).fetch_all(connection).await?;
    let part = |row: &AnyRow| {
        Ok(Part { number: found(row.try_get("number")?), size_bytes: found(row.try_get("size_bytes")?) })
    };
    rows.iter().map(part).collect()
}

/// Changes the state of an upload. True if it was in state `from`.
pub async fn change(connection: &mut Connection, id: &Id, from: Phase, to: Phase) -> Result<bool, DbError> {
    let update = sqlx::query("UPDATE uploads SET state = $3 WHERE id = $1 AND state = $2");
    let done = update.bind(id.as_str()).bind(name_of(from)).bind(name_of(to)).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

pub async fn end(connection: &mut Connection, id: &Id, outcome: &Result<Id, String>) -> Result<(), DbError> {
    let update = sqlx::query(
        "UPDATE uploads SET state = $2, trace = $3, error = $4 WHERE id = $1 AND state = 'importing'",
    );
    let state = if outcome.is_ok() { Phase::Done } else { Phase::Failed };
    let update = update.bind(id.as_str()).bind(name_of(state));
    let update = update.bind(outcome.as_ref().ok().map(Id::to_string)).bind(outcome.as_ref().err());
    update.execute(connection).await?;
    Ok(())
}

/// Closes an upload to further parts, before its removal. True if it exists, its announcement and parts came before a
/// time, in ns since 1970-01-01 UTC, and it is not being imported.
pub async fn close(connection: &mut Connection, id: &Id, before_unix_ns: u64) -> Result<bool, DbError> {
    let update = sqlx::query(
        "UPDATE uploads SET error = CASE state WHEN 'open' THEN 'it was dropped' ELSE error END, \
         state = CASE state WHEN 'open' THEN 'failed' ELSE state END \
         WHERE id = $1 AND state <> 'importing' AND begun_unix_ns < $2",
    );
    let update = update.bind(id.as_str()).bind(stored(before_unix_ns));
    Ok(update.execute(connection).await?.rows_affected() > 0)
}

/// Removes an upload and the records of its parts. True if it existed.
pub async fn remove(connection: &mut Connection, id: &Id) -> Result<bool, DbError> {
    let delete = sqlx::query("DELETE FROM uploads WHERE id = $1 AND state <> 'importing'");
    Ok(delete.bind(id.as_str()).execute(connection).await?.rows_affected() > 0)
}

/// Returns uploads whose announcement and parts came before a time, in ns since 1970-01-01 UTC, and that are not being
/// imported.
pub async fn older_than(connection: &mut Connection, unix_ns: u64) -> Result<Vec<Id>, DbError> {
    let select = sqlx::query("SELECT id FROM uploads WHERE begun_unix_ns < $1 AND state <> 'importing'");
    let rows = select.bind(stored(unix_ns)).fetch_all(connection).await?;
    rows.iter().map(|row| row.try_get::<String, _>("id")?.parse().map_err(|error| corrupt(&error))).collect()
}

/// Returns the ids of all uploads, including finished ones.
pub async fn all_ids(connection: &mut Connection) -> Result<Vec<Id>, DbError> {
    let rows = sqlx::query("SELECT id FROM uploads").fetch_all(connection).await?;
    rows.iter().map(|row| row.try_get::<String, _>("id")?.parse().map_err(|error| corrupt(&error))).collect()
}

fn read(row: &AnyRow) -> Result<UploadRow, DbError> {
    let trace: Option<String> = row.try_get("trace")?;
    let labels: String = row.try_get("labels")?;
    Ok(UploadRow {
        id: row.try_get::<String, _>("id")?.parse().map_err(|error| corrupt(&error))?,
        project: row.try_get::<String, _>("project")?.parse().map_err(|error| corrupt(&error))?,
        name: row.try_get("name")?,
        size_bytes: found(row.try_get("size_bytes")?),
        sha256: Some(row.try_get("sha256")?).filter(|sha256: &String| !sha256.is_empty()),
        labels: serde_json::from_str(&labels).map_err(|error| corrupt(&error))?,
        uploaded_by: identity(row, "uploaded_by")?,
        begun_unix_ns: found(row.try_get("begun_unix_ns")?),
        phase: match row.try_get::<&str, _>("state")? {
            "open" => Phase::Open,
            "importing" => Phase::Importing,
            "done" => Phase::Done,
            _ => Phase::Failed,
        },
        trace: trace.map(|trace| trace.parse()).transpose().map_err(|error| corrupt(&error))?,
        error: row.try_get("error")?,
    })
}

fn name_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Open => "open",
        Phase::Importing => "importing",
        Phase::Done => "done",
        Phase::Failed => "failed",
    }
}
