//! Backup, restore and check of a server's data.
//!
//! A backup is a store like a server's, with the rows in an additional file, `rows.jsonl`, which is written
//! last. It is a consistent snapshot: rows are read in one transaction, and bytes never change. Bytes already
//! in the backup are not copied again.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt as _;

use super::meta::{META_FILE, Meta};
use super::{StorageError, Store, TraceId, Upload};
use crate::db::dump::{self, Fields};
use crate::db::labels::{self, Labels};
use crate::db::traces::{self, TraceRow};
use crate::db::{Connection, Db, DbError, jobs, now_unix_ns, retention};
use syclscope_system::private_files;

const ROWS_FILE: &str = "rows.jsonl";
const VERSION: u32 = 1;
const PIECE_BYTES: usize = 1 << 20;
/// Age at which bytes without a row are a fault, in ns. The row of an upload normally follows its bytes
/// within moments.
const FAULT_AGE_NS: u64 = 60 * 1_000_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopyReport {
    /// Number of traces in the backup, or of restored ones.
    pub traces: usize,
    /// Traces whose bytes were copied.
    pub copied: usize,
    pub bytes: u64,
    /// Problems, one per line.
    pub faults: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    pub traces: usize,
    pub bytes: u64,
    pub faults: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("not a backup: {ROWS_FILE} is missing")]
    Missing,
    #[error("{ROWS_FILE}: incomplete or damaged backup: {0}")]
    Unreadable(String),
    #[error("made by a newer syclscope; restore it with that version")]
    Newer,
    #[error("the target server already has traces, members or tokens; restore into an empty one")]
    NotEmpty,
}

impl From<DbError> for BackupError {
    fn from(error: DbError) -> Self {
        Self::Storage(error.into())
    }
}

impl From<std::io::Error> for BackupError {
    fn from(error: std::io::Error) -> Self {
        Self::Storage(error.into())
    }
}

/// A line of the rows' file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// First line.
    Backup {
        version: u32,
        tables: i64,
        made_unix_ns: u64,
    },
    Row {
        table: String,
        fields: Fields,
    },
    /// Last line, with the number of rows.
    End {
        rows: u64,
    },
}

/// Copies a server's data from `store` to `to`, while the server may run.
///
/// # Errors
/// Returns an error if rows can't be read, or nothing can be written. A trace with changed bytes is reported as a fault
/// in the result.
pub async fn back_up(db: &Db, store: &Store, to: &Store) -> Result<CopyReport, BackupError> {
    let mut snapshot = db.snapshot().await?;
    let mut rows = dump::read(&mut snapshot).await?;
    let all = traces::all(&mut snapshot).await?;
    drop(snapshot);
    let mut copied = CopyReport::default();
    let there: HashSet<TraceId> = to.traces().await?.into_iter().collect();
    let mut gone: HashSet<String> = HashSet::new();
    for row in &all {
        if there.contains(&row.id) && is_there(to, &row.id).await? {
            copied.traces += 1;
            continue;
        }
        let labels = labels::on_trace(&mut *db.reading().await?, &row.id).await?;
        match copy(store, to, row, &labels).await {
            Ok(bytes) => {
                copied.traces += 1;
                copied.copied += 1;
                copied.bytes += bytes;
            }
            Err(StorageError::NotFound) if is_deleted(db, &row.id).await? => {
                gone.insert(row.id.to_string());
            }
            Err(error @ (StorageError::NotFound | StorageError::OtherDigest)) => {
                copied.faults.push(fault(row, &error));
                gone.insert(row.id.to_string());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let deleted =
        rows.iter().filter(|(table, fields)| *table == "traces" && fields.contains_key("deleted_unix_ns"));
    gone.extend(deleted.filter_map(|(_, fields)| text(fields, "id").map(str::to_owned)));
    leave_out(&mut rows, &gone);
    write_rows(to, rows).await?;
    Ok(copied)
}

/// Removes the rows of traces, and all rows that refer to them, directly or through a link or comment.
fn leave_out(rows: &mut Vec<(&'static str, Fields)>, gone: &HashSet<String>) {
    // Ids of removed links and comments. Their tables come before those that refer to them.
    let mut owners: HashSet<String> = HashSet::new();
    rows.retain(|(table, fields)| {
        let (column, missing) = match *table {
            "traces" => ("id", gone),
            // This row marks the copy of a part, which is no run. It stays as long as the copy, even without the whole
            // trace.
            "links" if fields.contains_key("shows") => ("shows", gone),
            "link_uses" => ("link", &owners),
            "mentions" => ("comment", &owners),
            _ => ("trace", gone),
        };
        let is_kept = !text(fields, column).is_some_and(|id| missing.contains(id));
        if !is_kept && matches!(*table, "links" | "comments") {
            owners.extend(text(fields, "id").map(str::to_owned));
        }
        is_kept
    });
}

fn text<'f>(fields: &'f Fields, column: &str) -> Option<&'f str> {
    fields.get(column).and_then(serde_json::Value::as_str)
}

async fn is_deleted(db: &Db, id: &TraceId) -> Result<bool, DbError> {
    Ok(traces::find(&mut *db.reading().await?, id).await?.is_none())
}

/// True if a trace's bytes exist. Removes leftovers if they don't.
async fn is_there(store: &Store, id: &TraceId) -> Result<bool, StorageError> {
    match store.has(id).await? {
        true => Ok(true),
        false => store.remove(id).await.map(|()| false),
    }
}

/// Copies the bytes of a trace and verifies them. Returns their number.
async fn copy(from: &Store, to: &Store, row: &TraceRow, labels: &Labels) -> Result<u64, StorageError> {
    let original = from.original(&row.id).await?;
    let mut file = tokio::fs::File::open(&original).await?;
    let mut upload = Upload::begin(&to.incoming(), row.id.clone(), row.name.clone(), u64::MAX).await?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece).await? {
            0 => break,
            read => upload.append(&piece[..read]).await?,
        }
    }
    upload.flush().await?;
    if !matches_upload(row, upload.size_bytes(), &upload.sha256()) {
        return Err(StorageError::OtherDigest);
    }
    let bytes = Meta::new(row, labels).bytes()?;
    let mut meta = private_files::create_file(&upload.folder().join(META_FILE))?;
    meta.write_all(&bytes)?;
    meta.sync_all()?;
    to.put(&row.id, upload.folder()).await?;
    Ok(upload.size_bytes())
}

fn matches_upload(row: &TraceRow, size_bytes: u64, sha256: &str) -> bool {
    row.size_bytes == size_bytes && row.sha256.as_deref().is_none_or(|digest| digest == sha256)
}

fn fault(row: &TraceRow, error: &StorageError) -> String {
    let why = match error {
        StorageError::NotFound => "its bytes are missing",
        _ => "its bytes differ from the uploaded ones",
    };
    format!("trace {} ({:?}, project {}): {why}", row.id, row.name, row.project)
}

async fn write_rows(to: &Store, rows: Vec<(&'static str, Fields)>) -> Result<(), BackupError> {
    let folder = Upload::begin(&to.incoming(), TraceId::random()?, String::new(), u64::MAX).await?;
    let path = folder.folder().join(ROWS_FILE);
    let file = path.clone();
    let written = tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::new(private_files::create_file(&file)?);
        let mut line = |line: &Line| -> std::io::Result<()> {
            serde_json::to_writer(&mut out, line)?;
            out.write_all(b"\n")
        };
        let count = rows.len() as u64;
        line(&Line::Backup { version: VERSION, tables: Db::tables(), made_unix_ns: now_unix_ns() })?;
        for (table, fields) in rows {
            line(&Line::Row { table: table.to_owned(), fields })?;
        }
        line(&Line::End { rows: count })?;
        out.flush()?;
        out.get_ref().sync_all()
    });
    written.await.map_err(std::io::Error::other)??;
    Ok(to.put_file(ROWS_FILE, &path).await?)
}

/// Restores a backup into an empty server.
///
/// # Errors
/// Returns an error if the backup is incomplete, or the server is not empty or can't be written. No row is added then,
/// and another attempt copies only the missing bytes.
pub async fn restore(from: &Store, db: &Db, store: &Store) -> Result<CopyReport, BackupError> {
    if !dump::is_empty(&mut *db.reading().await?).await? {
        return Err(BackupError::NotEmpty);
    }
    let folder = Upload::begin(&store.incoming(), TraceId::random()?, String::new(), u64::MAX).await?;
    let path = folder.folder().join(ROWS_FILE);
    match from.get_file(ROWS_FILE, &path).await {
        Err(StorageError::NotFound) => return Err(BackupError::Missing),
        got => got?,
    }
    let rows =
        tokio::task::spawn_blocking(move || read_rows(&path)).await.map_err(std::io::Error::other)??;
    let mut transaction = db.writing().await?;
    add(&mut transaction, &rows).await?;
    let all = traces::all(&mut transaction).await?;
    let mut labelled: HashMap<TraceId, Labels> = HashMap::new();
    for row in &all {
        labelled.insert(row.id.clone(), labels::on_trace(&mut transaction, &row.id).await?);
    }
    // The rows are added after the bytes, because copying takes too long for an open transaction. This first
    // transaction only checks that they can be added.
    transaction.rollback().await.map_err(DbError::from)?;
    let mut copied = CopyReport::default();
    let there: HashSet<TraceId> = store.traces().await?.into_iter().collect();
    for row in &all {
        copied.traces += 1;
        if there.contains(&row.id) && is_there(store, &row.id).await? {
            continue;
        }
        match copy(from, store, row, &labelled[&row.id]).await {
            Ok(bytes) => {
                copied.copied += 1;
                copied.bytes += bytes;
            }
            Err(error @ (StorageError::NotFound | StorageError::OtherDigest)) => {
                copied.faults.push(fault(row, &error));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let mut transaction = db.writing().await?;
    add(&mut transaction, &rows).await?;
    // An old backup's grace periods are over, and the first sweep would delete its traces.
    retention::renew_all(&mut transaction).await?;
    // Backups have no jobs, and older ones no samples.
    jobs::add_missing_figures(&mut transaction, now_unix_ns()).await?;
    transaction.commit().await.map_err(DbError::from)?;
    Ok(copied)
}

/// Replaces the initial rows by all rows of the backup.
async fn add(connection: &mut Connection, rows: &[(String, Fields)]) -> Result<(), DbError> {
    dump::clear(connection).await?;
    for (table, fields) in rows {
        dump::add(connection, table, fields).await?;
    }
    Ok(())
}

fn read_rows(path: &Path) -> Result<Vec<(String, Fields)>, BackupError> {
    let unreadable = |error: &dyn std::fmt::Display| BackupError::Unreadable(error.to_string());
    let mut rows = Vec::new();
    let mut is_whole = false;
    for (at, line) in BufReader::new(std::fs::File::open(path)?).lines().enumerate() {
        match (at, serde_json::from_str(&line?).map_err(|error| unreadable(&error))?) {
            (0, Line::Backup { version, tables, .. }) => {
                if version > VERSION || tables > Db::tables() {
                    return Err(BackupError::Newer);
                }
            }
            (0, _) => return Err(unreadable(&"its first line is not a backup header")),
            (_, Line::Row { table, fields }) => rows.push((table, fields)),
            (_, Line::End { rows: count }) => is_whole = count == rows.len() as u64,
            (_, Line::Backup { .. }) => return Err(unreadable(&"it has a second backup header")),
        }
    }
    if is_whole { Ok(rows) } else { Err(unreadable(&"its end is missing")) }
}

/// Checks that every row has its bytes, unchanged, and that there are no bytes without a row. Changes
/// nothing.
///
/// # Errors
/// Returns an error if rows or bytes can't be read.
pub async fn check(db: &Db, store: &Store) -> Result<CheckReport, BackupError> {
    let mut checked = CheckReport::default();
    // Not in the loop's head, which would hold the connection until the end.
    let rows = traces::all(&mut *db.reading().await?).await?;
    for row in rows {
        match check_trace(store, &row).await {
            Ok(()) => {}
            Err(StorageError::NotFound) if is_deleted(db, &row.id).await? => continue,
            Err(error @ (StorageError::NotFound | StorageError::OtherDigest)) => {
                checked.faults.push(fault(&row, &error));
            }
            Err(error) => return Err(error.into()),
        }
        checked.traces += 1;
        checked.bytes += row.size_bytes;
    }
    let there = store.traces().await?;
    // Read after the bytes were listed, so that new ones have their row here.
    let ids: HashSet<TraceId> = traces::all_ids(&mut *db.reading().await?).await?.into_iter().collect();
    let oldest = now_unix_ns().saturating_sub(FAULT_AGE_NS);
    for id in there.into_iter().filter(|id| !ids.contains(id)) {
        match store.state(&id).await {
            Ok(found) if found.written_unix_ns <= oldest => {
                // A sweep recovers complete traces.
                let is_whole = found.meta.is_some() && store.has(&id).await?;
                let end = if is_whole { "lists them as a trace again" } else { "removes them" };
                checked
                    .faults
                    .push(format!("bytes of {id} have no row; the server {end} when they are a day old"));
            }
            Ok(_) | Err(StorageError::NotFound) => {}
            Err(StorageError::Io(error)) => {
                checked.faults.push(format!("bytes of {id} have no row, and can't be read: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(checked)
}

async fn check_trace(store: &Store, row: &TraceRow) -> Result<(), StorageError> {
    let original = store.original(&row.id).await?;
    let digest = tokio::task::spawn_blocking(move || super::upload::digest_of(&original));
    let (size_bytes, sha256) = digest.await.map_err(std::io::Error::other)??;
    if matches_upload(row, size_bytes, &sha256) { Ok(()) } else { Err(StorageError::OtherDigest) }
}
