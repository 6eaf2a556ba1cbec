//! A server's data: rows in a database, bytes in a store.
//!
//! A trace exists if its row does, and its row is added once its bytes are durable. It is deleted when its
//! row is marked; then any server may remove its bytes. So after a crash at any time it is either complete or
//! absent.

mod aging;
mod parts;
mod sweep;
mod take_over;
#[cfg(test)]
mod tests;

use std::io::Write as _;
use std::sync::Arc;

pub use self::aging::GRACE_DAYS;
pub use self::parts::{Announced, IMPORT, UploadStart};
pub use self::sweep::SweepReport;
use super::meta::{META_FILE, Meta, entry};
use super::{
    DataFolder, Folder, LocalFile, OpenError, StorageError, Store, Stored, TraceId, Upload, Version, name,
};
use crate::auth::identity::Identity;
use crate::db::figures::{self, FIGURES};
use crate::db::labels::{self, Labels};
use crate::db::projects::{self, ProjectId};
use crate::db::recent::Recent;
use crate::db::traces::{self, TraceRow};
use crate::db::{Connection, Db, DbError, audit, jobs, now_unix_ns, retention, uploads};
use crate::ingest::trace_metrics::StoredMetrics;
use syclscope_language::api::AuditEntry;
use syclscope_system::private_files;

/// Traces of a server. Clones share them.
#[derive(Clone, Debug)]
pub struct Hosted(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    store: Store,
    limit_bytes: u64,
    rows: Recent<TraceId, Stored>,
    /// Locked against other servers, unless it is shared.
    folder: DataFolder,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub project: ProjectId,
    pub labels: Labels,
    pub uploaded_by: Option<Identity>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UploadResult {
    New(Stored),
    /// Its project already had these bytes, as this trace.
    Existing(Stored),
}

impl Hosted {
    /// Opens a folder's data, with rows in `db`, whose tables exist. Also returns a message for each trace
    /// with an unreadable description; such a trace is left unchanged.
    ///
    /// # Errors
    /// Returns an error if the folder can't be written.
    pub async fn in_folder(
        folder: DataFolder,
        db: Db,
        limit_bytes: u64,
    ) -> Result<(Self, Vec<String>), OpenError> {
        let failed = |(path, error)| OpenError::Io { path, error };
        let store = Folder::open(folder.path(), folder.is_shared()).map_err(failed)?;
        Self::open(folder, db, Store::Folder(store), limit_bytes).await
    }

    /// Opens a store's data. `folder` contains the server's work files.
    ///
    /// # Errors
    /// Returns an error if the store can't be used.
    pub async fn open(
        folder: DataFolder,
        db: Db,
        store: Store,
        limit_bytes: u64,
    ) -> Result<(Self, Vec<String>), OpenError> {
        let path = folder.path().to_owned();
        let failed = |error: StorageError| match error {
            StorageError::Io(error) => OpenError::Io { path, error },
            error => OpenError::Store { address: path.display().to_string(), reason: error.to_string() },
        };
        let own = Self(Arc::new(Inner { db, store, limit_bytes, rows: Recent::default(), folder }));
        let begun = async {
            own.0.store.check().await?;
            own.0.store.clear().await?;
            if let Err(error) = own.0.folder.keep_room() {
                tracing::warn!("the disk may be full: {error}");
            }
            retry_if_busy(|| own.take_over()).await
        };
        let complaints = begun.await.map_err(failed)?;
        Ok((own, complaints))
    }

    pub async fn check_store(&self) -> Result<(), StorageError> {
        self.0.store.check().await
    }

    pub fn db(&self) -> &Db {
        &self.0.db
    }

    pub(super) fn limit_bytes(&self) -> u64 {
        self.0.limit_bytes
    }

    pub fn store(&self) -> &Store {
        &self.0.store
    }

    pub(super) async fn find(&self, id: &TraceId) -> Result<Stored, StorageError> {
        let look = || async {
            let row = traces::find(&mut *self.db().reading().await?, id).await?;
            Ok(row.map(|row| stored(&row)))
        };
        self.0.rows.get(id, look).await?.ok_or(StorageError::NotFound)
    }

    pub async fn with_bytes(
        &self,
        project: &ProjectId,
        sha256: &str,
    ) -> Result<Option<Stored>, StorageError> {
        let row = traces::with_bytes(&mut *self.db().reading().await?, project, sha256).await?;
        Ok(row.map(|row| stored(&row)))
    }

    /// Returns the trace that an upload of these bytes would repeat. If it is marked as expired, its grace period begins
    /// again, because its uploader may now remove their own copy.
    pub async fn repeated(&self, project: &ProjectId, sha256: &str) -> Result<Option<Stored>, StorageError> {
        let found = self.with_bytes(project, sha256).await?;
        if let Some(stored) = &found {
            let renew = async { retention::renew(&mut *self.db().reading().await?, &stored.id).await };
            // A full disk stores no mark, but has the trace.
            if let Err(error) = renew.await {
                tracing::warn!(id = %stored.id, "can't renew the grace period of a trace: {error}");
            }
        }
        Ok(found)
    }

    /// Rejects an unknown project, or one whose quota, less its unfinished uploads, is too small.
    pub async fn check_room(&self, project: &ProjectId, size_bytes: u64) -> Result<(), StorageError> {
        let connection = &mut *self.db().reading().await?;
        let unfinished_bytes = uploads::unfinished_bytes(connection, project).await?;
        let used_bytes = projects::usage(connection, project).await?.bytes.saturating_add(unfinished_bytes);
        room(connection, project, used_bytes, size_bytes).await
    }

    /// Begins an upload with a file name and the id of its future trace.
    pub async fn begin(&self, id: TraceId, sent_name: &str) -> Result<Upload, StorageError> {
        Upload::begin(&self.0.store.incoming(), id, name::clean(sent_name), self.0.limit_bytes).await
    }

    /// Turns a finished upload into a trace with these metrics. It is idempotent.
    ///
    /// # Errors
    /// Returns an error if its bytes or its row can't be written. The trace is then invisible; if the database
    /// committed the row without reporting it, row and bytes stay.
    pub async fn keep(
        &self,
        upload: Upload,
        about: &About,
        metrics: Option<&StoredMetrics>,
    ) -> Result<UploadResult, StorageError> {
        let row = TraceRow {
            id: upload.id().clone(),
            project: about.project.clone(),
            name: upload.name().to_owned(),
            size_bytes: upload.size_bytes(),
            sha256: Some(upload.sha256()),
            stored_unix_ns: now_unix_ns(),
            uploaded_by: about.uploaded_by.clone(),
            is_pinned: false,
        };
        let meta = Meta::new(&row, &about.labels).bytes()?;
        write_safely(upload.folder().join(META_FILE), meta).await?;
        self.0.store.put(&row.id, upload.folder()).await?;
        drop(upload);
        match self.add(&row, &about.labels, metrics).await {
            Ok(()) => Ok(UploadResult::New(stored(&row))),
            Err(StorageError::Database(DbError::Exists)) => self.existing(&row).await,
            // This row was certainly not written, and disk space may be scarce. Another server may have written it
            // earlier, at the end of the same import.
            Err(
                error @ (StorageError::Database(DbError::Full | DbError::ReadOnly)
                | StorageError::QuotaUsed { .. }),
            ) => {
                if traces::find(&mut *self.db().reading().await?, &row.id).await?.is_none() {
                    self.0.store.remove(&row.id).await?;
                }
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    async fn add(
        &self,
        row: &TraceRow,
        labels: &Labels,
        metrics: Option<&StoredMetrics>,
    ) -> Result<(), StorageError> {
        let mut transaction = self.db().writing().await?;
        // Concurrent uploads must count each other.
        projects::hold(&mut transaction, &row.project).await?;
        let used = projects::usage(&mut transaction, &row.project).await?;
        traces::add(&mut transaction, row).await?;
        // The size may have been unknown until now. Other uploads in parts keep their space.
        let unfinished_bytes = uploads::unfinished_bytes(&mut transaction, &row.project).await?;
        let used_bytes = used.bytes.saturating_add(unfinished_bytes);
        room(&mut transaction, &row.project, used_bytes, row.size_bytes).await?;
        add_metadata(&mut transaction, row, labels, metrics).await?;
        audit::add(&mut transaction, &upload_entry(row)).await?;
        Ok(transaction.commit().await.map_err(DbError::from)?)
    }

    /// Returns the existing trace that a new row conflicts with, and removes the bytes of the new one.
    async fn existing(&self, row: &TraceRow) -> Result<UploadResult, StorageError> {
        let sha256 = row.sha256.as_deref().unwrap_or_default();
        match self.repeated(&row.project, sha256).await? {
            // Another server has finished the same import.
            Some(stored) if stored.id == row.id => Ok(UploadResult::New(stored)),
            Some(stored) => {
                self.0.store.remove(&row.id).await?;
                Ok(UploadResult::Existing(stored))
            }
            // Deleted meanwhile. A sweep would add a row for the bytes.
            None => {
                if traces::find(&mut *self.db().reading().await?, &row.id).await?.is_none() {
                    self.0.store.remove(&row.id).await?;
                }
                Err(StorageError::NotFound)
            }
        }
    }

    pub(super) async fn delete(&self, id: &TraceId, line: &AuditEntry) -> Result<(), StorageError> {
        let delete = || self.mark_deleted(id, line);
        if !self.with_room(delete).await? {
            return Err(StorageError::NotFound);
        }
        // The trace is already invisible. If its bytes can't be removed now, a sweep removes them.
        if let Err(error) = self.collect(id).await {
            tracing::warn!(%id, "can't remove the bytes of a deleted trace: {error}");
        }
        Ok(())
    }

    /// Makes a change that frees space. On a full disk it uses the reserved space.
    async fn with_room<T, F>(&self, change: impl Fn() -> F) -> Result<T, DbError>
    where
        F: Future<Output = Result<T, DbError>>,
    {
        match change().await {
            Err(DbError::Full) => {
                self.0.folder.give_room();
                change().await
            }
            done => done,
        }
    }

    async fn mark_deleted(&self, id: &TraceId, line: &AuditEntry) -> Result<bool, DbError> {
        let mut transaction = self.db().writing().await?;
        let deleted = traces::delete(&mut transaction, id, now_unix_ns()).await?;
        if deleted {
            // A replica that repeats the import of its upload must not store it again.
            uploads::end(&mut transaction, id, &Ok(id.clone())).await?;
            audit::add(&mut transaction, line).await?;
        }
        transaction.commit().await?;
        self.0.rows.forget();
        Ok(deleted)
    }

    /// Stores the computed metrics of a trace and ends their job. An unreadable trace stays without them, or with those
    /// that an older program has stored.
    pub async fn end_figures(
        &self,
        id: &TraceId,
        job: &TraceId,
        metrics: Option<&StoredMetrics>,
    ) -> Result<(), StorageError> {
        let mut transaction = self.db().writing().await?;
        if let Some(row) = traces::find(&mut transaction, id).await? {
            figures::hold(&mut transaction, id).await?;
            if metrics.is_some() || !figures::are_known(&mut transaction, id).await? {
                let labels = labels::on_trace(&mut transaction, id).await?;
                figures::set(&mut transaction, &row, &labels, metrics).await?;
            }
        }
        jobs::remove(&mut transaction, job).await?;
        Ok(transaction.commit().await.map_err(DbError::from)?)
    }

    /// Removes the bytes of a deleted trace, and then its row.
    async fn collect(&self, id: &TraceId) -> Result<(), StorageError> {
        self.0.store.remove(id).await?;
        Ok(traces::forget(&mut *self.db().reading().await?, id).await?)
    }

    pub async fn original(&self, id: &TraceId) -> Result<LocalFile, StorageError> {
        self.0.store.original(id).await
    }

    pub async fn derived(&self, id: &TraceId) -> Result<Option<LocalFile>, StorageError> {
        self.0.store.derived(id).await
    }

    pub(super) fn unfinished_folder(&self) -> std::path::PathBuf {
        self.0.store.incoming()
    }

    /// Creates a temporary folder for a trace's new derived file.
    pub async fn begin_derived(&self) -> Result<Upload, StorageError> {
        Upload::begin(&self.0.store.incoming(), TraceId::random()?, String::new(), u64::MAX).await
    }

    pub async fn put_derived(&self, id: &TraceId, file: &std::path::Path) -> Result<(), StorageError> {
        self.0.store.put_derived(id, file).await
    }

    pub async fn remove_derived(&self, id: &TraceId) -> Result<(), StorageError> {
        self.0.store.remove_derived(id).await
    }
}

/// Attempts of a starting server, each of which waits for a connection for some seconds.
const START_ATTEMPTS: u32 = 12;

/// Repeats an idempotent step of the start while the database is busy: on a loaded machine even the first connection
/// can take long, and a server that gives up would only be started again.
async fn retry_if_busy<T>(step: impl AsyncFn() -> Result<T, StorageError>) -> Result<T, StorageError> {
    for _ in 1..START_ATTEMPTS {
        match step().await {
            Err(StorageError::Database(DbError::Busy)) => {
                tracing::warn!("the database is busy; trying again")
            }
            result => return result,
        }
    }
    step().await
}

/// Rejects an upload that exceeds a project's quota, given the bytes in use.
async fn room(
    connection: &mut Connection,
    project: &ProjectId,
    used_bytes: u64,
    size_bytes: u64,
) -> Result<(), StorageError> {
    let found = projects::find(connection, project).await?;
    let quota_bytes = found.ok_or_else(|| StorageError::NoSuchProject(project.clone()))?.quota_bytes;
    match quota_bytes {
        Some(quota_bytes) if used_bytes.saturating_add(size_bytes) > quota_bytes => {
            Err(StorageError::QuotaUsed { project: project.clone(), quota_bytes, used_bytes, size_bytes })
        }
        _ => Ok(()),
    }
}

/// Adds the labels and metrics of a new row; a job computes unknown metrics.
async fn add_metadata(
    connection: &mut Connection,
    row: &TraceRow,
    labels: &Labels,
    metrics: Option<&StoredMetrics>,
) -> Result<(), DbError> {
    labels::set(connection, &row.id, labels).await?;
    figures::set(connection, row, labels, metrics).await?;
    if metrics.is_none() {
        jobs::add(connection, FIGURES, &row.id, now_unix_ns()).await?;
    }
    Ok(())
}

/// Returns the audit entry of a new row.
fn upload_entry(row: &TraceRow) -> AuditEntry {
    AuditEntry {
        at_unix_ns: row.stored_unix_ns,
        by: row.uploaded_by.as_ref().map(|by| by.name.clone()),
        by_kind: row.uploaded_by.as_ref().and_then(|by| by.kind),
        action: "upload".to_owned(),
        project: Some(row.project.to_string()),
        subject: row.id.to_string(),
        detail: Some(row.name.clone()),
    }
}

fn stored(row: &TraceRow) -> Stored {
    let (project, uploaded_by) = (row.project.clone(), row.uploaded_by.clone());
    Stored { entry: entry(row), id: row.id.clone(), path: None, version: Version::Only, project, uploaded_by }
}

/// Writes a new file and syncs it to the disk.
async fn write_safely(path: std::path::PathBuf, bytes: Vec<u8>) -> Result<(), StorageError> {
    let written = tokio::task::spawn_blocking(move || {
        let mut file = private_files::create_file(&path)?;
        file.write_all(&bytes)?;
        file.sync_all()
    });
    Ok(written.await.map_err(std::io::Error::other)??)
}
