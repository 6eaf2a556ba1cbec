//! What a server keeps: rows in a database, bytes in a store.
//!
//! A trace is there when its row is, and its row comes when its bytes are safe. It goes when its row says so; then anybody may
//! collect its bytes. So a crash at any moment leaves it whole or absent.

mod parts;
mod sweep;
mod take_over;
#[cfg(test)]
mod tests;

use std::io::Write as _;
use std::sync::Arc;

pub use self::parts::{Announced, Begun, IMPORT};
pub use self::sweep::Swept;
use super::meta::{META_FILE, Meta, entry};
use super::{
    DataFolder, Folder, LocalFile, OpenError, StorageError, Store, Stored, TraceId, Upload, Version, name,
};
use crate::db::labels::{self, Labels};
use crate::db::projects::{self, ProjectId};
use crate::db::recent::Recent;
use crate::db::traces::{self, TraceRow};
use crate::db::{Db, DbError, audit, now_unix_ns};
use crate::private;
use syclscope_language::api::{AuditEntry, TraceEntry};

/// Traces of a server. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Hosted(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    store: Store,
    limit_bytes: u64,
    /// Rows that were wanted a moment ago.
    rows: Recent<TraceId, Stored>,
    /// Keeps other servers out.
    folder: DataFolder,
}

/// What comes with an upload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Where it belongs.
    pub project: ProjectId,
    /// What is said of it.
    pub labels: Labels,
    /// Who sends it, where that is known.
    pub uploaded_by: Option<String>,
}

/// What became of an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is a trace now.
    New(Stored),
    /// Its project had these bytes already, and they stay the only ones.
    Known(Stored),
}

impl Hosted {
    /// Opens what a folder holds, with rows in `db`, whose tables are there. Also returns a message for each trace whose
    /// description can't be read; such a trace is left alone.
    ///
    /// # Errors
    /// When the folder can't be written.
    pub async fn in_folder(
        folder: DataFolder,
        db: Db,
        limit_bytes: u64,
    ) -> Result<(Self, Vec<String>), OpenError> {
        let failed = |(path, error)| OpenError::Io { path, error };
        let store = Folder::open(folder.path(), folder.is_shared()).map_err(failed)?;
        Self::open(folder, db, Store::Folder(store), limit_bytes).await
    }

    /// Opens what a store holds. `folder` is this server's own.
    ///
    /// # Errors
    /// When the store can't be used.
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
            own.take_over().await
        };
        let complaints = begun.await.map_err(failed)?;
        Ok((own, complaints))
    }

    /// The database with its rows.
    pub fn db(&self) -> &Db {
        &self.0.db
    }

    pub(super) fn limit_bytes(&self) -> u64 {
        self.0.limit_bytes
    }

    pub(super) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(super) async fn list(
        &self,
        shows: impl Fn(&ProjectId) -> bool,
    ) -> Result<Vec<TraceEntry>, StorageError> {
        let rows = traces::list(&mut *self.db().reading().await?, None).await?;
        Ok(rows.iter().filter(|row| shows(&row.project)).map(entry).collect())
    }

    pub(super) async fn find(&self, id: &TraceId) -> Result<Stored, StorageError> {
        let look = || async {
            let row = traces::find(&mut *self.db().reading().await?, id).await?;
            Ok(row.map(|row| stored(&row)))
        };
        self.0.rows.get(id, look).await?.ok_or(StorageError::NotFound)
    }

    /// The trace of a project with these bytes.
    ///
    /// # Errors
    /// When the database gives no answer.
    pub async fn with_bytes(
        &self,
        project: &ProjectId,
        sha256: &str,
    ) -> Result<Option<Stored>, StorageError> {
        let row = traces::with_bytes(&mut *self.db().reading().await?, project, sha256).await?;
        Ok(row.map(|row| stored(&row)))
    }

    /// Refuses a project that there is not.
    ///
    /// # Errors
    /// When there is none of this short name.
    pub async fn check_project(&self, project: &ProjectId) -> Result<(), StorageError> {
        let found = projects::find(&mut *self.db().reading().await?, project).await?;
        found.map(drop).ok_or_else(|| StorageError::NoSuchProject(project.clone()))
    }

    /// Begins an upload under a file name and the id that its trace will have.
    ///
    /// # Errors
    /// When nothing can be written.
    pub async fn begin(&self, id: TraceId, sent_name: &str) -> Result<Upload, StorageError> {
        Upload::begin(&self.0.store.incoming(), id, name::clean(sent_name), self.0.limit_bytes).await
    }

    /// Makes a finished upload a trace. Doing so twice is the same as once.
    ///
    /// # Errors
    /// When its bytes or its row can't be written. Then nobody sees it; a row that the database wrote without saying so
    /// stands, and so do the bytes.
    pub async fn keep(&self, upload: Upload, about: &About) -> Result<Kept, StorageError> {
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
        let meta = Meta::of(&row, &about.labels).bytes()?;
        write_safely(upload.folder().join(META_FILE), meta).await?;
        self.0.store.keep(&row.id, upload.folder()).await?;
        drop(upload);
        match self.add(&row, &about.labels).await {
            Ok(()) => Ok(Kept::New(stored(&row))),
            Err(DbError::Exists) => self.known(&row).await,
            Err(DbError::Full) => {
                // It did not write it for sure, and every byte counts.
                self.0.store.remove(&row.id).await?;
                Err(DbError::Full.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Adds a row with its labels.
    async fn add(&self, row: &TraceRow, labels: &Labels) -> Result<(), DbError> {
        let mut transaction = self.db().writing().await?;
        traces::add(&mut transaction, row).await?;
        labels::set(&mut transaction, &row.id, labels).await?;
        let line = AuditEntry {
            at_unix_ns: row.stored_unix_ns,
            by: row.uploaded_by.clone(),
            action: "upload".to_owned(),
            project: Some(row.project.to_string()),
            subject: row.id.to_string(),
            detail: Some(row.name.clone()),
        };
        audit::add(&mut transaction, &line).await?;
        Ok(transaction.commit().await?)
    }

    /// What there is instead of a row that could not be added.
    async fn known(&self, row: &TraceRow) -> Result<Kept, StorageError> {
        let sha256 = row.sha256.as_deref().unwrap_or_default();
        match self.with_bytes(&row.project, sha256).await? {
            // Another server has finished the same import.
            Some(known) if known.id == row.id => Ok(Kept::New(known)),
            Some(known) => {
                self.0.store.remove(&row.id).await?;
                Ok(Kept::Known(known))
            }
            // Deleted since.
            None => Err(StorageError::NotFound),
        }
    }

    pub(super) async fn delete(&self, id: &TraceId, line: &AuditEntry) -> Result<(), StorageError> {
        let deleted = match self.mark_deleted(id, line).await {
            Err(DbError::Full) => {
                self.0.folder.give_room();
                self.mark_deleted(id, line).await
            }
            done => done,
        };
        if !deleted? {
            return Err(StorageError::NotFound);
        }
        // Nobody sees it any more. What can't be removed now, a sweep removes.
        if let Err(error) = self.collect(id).await {
            tracing::warn!(%id, "the bytes of a deleted trace are still there: {error}");
        }
        Ok(())
    }

    async fn mark_deleted(&self, id: &TraceId, line: &AuditEntry) -> Result<bool, DbError> {
        let mut transaction = self.db().writing().await?;
        let deleted = traces::delete(&mut transaction, id, now_unix_ns()).await?;
        if deleted {
            audit::add(&mut transaction, line).await?;
        }
        transaction.commit().await?;
        self.0.rows.forget();
        Ok(deleted)
    }

    /// Removes the bytes of a deleted trace, and then its row.
    async fn collect(&self, id: &TraceId) -> Result<(), StorageError> {
        self.0.store.remove(id).await?;
        Ok(traces::forget(&mut *self.db().reading().await?, id).await?)
    }

    /// The file with a trace's bytes.
    ///
    /// # Errors
    /// When it is gone or can't be fetched.
    pub async fn original(&self, id: &TraceId) -> Result<LocalFile, StorageError> {
        self.0.store.original(id).await
    }

    /// A trace's derived file, if there is one.
    ///
    /// # Errors
    /// When the store gives no answer.
    pub async fn derived(&self, id: &TraceId) -> Result<Option<LocalFile>, StorageError> {
        self.0.store.derived(id).await
    }

    /// A folder to write a trace's new derived file in; it goes when it is dropped.
    ///
    /// # Errors
    /// When it can't be made.
    pub async fn begin_derived(&self) -> Result<Upload, StorageError> {
        Upload::begin(&self.0.store.incoming(), TraceId::random()?, String::new(), u64::MAX).await
    }

    /// Keeps a trace's new derived file.
    ///
    /// # Errors
    /// When the store can't take it.
    pub async fn put_derived(&self, id: &TraceId, file: &std::path::Path) -> Result<(), StorageError> {
        self.0.store.put_derived(id, file).await
    }

    /// Removes a trace's derived file, which is no good.
    ///
    /// # Errors
    /// When the store gives no answer.
    pub async fn remove_derived(&self, id: &TraceId) -> Result<(), StorageError> {
        self.0.store.remove_derived(id).await
    }
}

fn stored(row: &TraceRow) -> Stored {
    let (project, uploaded_by) = (row.project.clone(), row.uploaded_by.clone());
    Stored { entry: entry(row), id: row.id.clone(), path: None, version: Version::Only, project, uploaded_by }
}

/// Writes a new file, which is on the disk when this returns.
async fn write_safely(path: std::path::PathBuf, bytes: Vec<u8>) -> Result<(), StorageError> {
    let written = tokio::task::spawn_blocking(move || {
        let mut file = private::create_file(&path)?;
        file.write_all(&bytes)?;
        file.sync_all()
    });
    Ok(written.await.map_err(std::io::Error::other)??)
}
