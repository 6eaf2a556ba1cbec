//! Storage of traces: the user's own files, which are only read, or a server's data.

pub mod backup;
mod data_folder;
mod file_metrics;
mod files;
mod hosted;
mod ledger;
mod local_file;
mod mapped;
mod meta;
mod name;
mod store;
mod upload;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

pub use data_folder::{DataFolder, OpenError};
pub use files::{Files, LedgerText};
pub use hosted::{About, Announced, GRACE_DAYS, Hosted, IMPORT, SweepReport, UploadResult, UploadStart};
pub use local_file::LocalFile;
pub use mapped::Mapped;
pub use store::{Folder, Local, Remote, Store, derived_file};
use syclscope_language::api::{AuditEntry, ListedTrace, TraceEntry};
pub use upload::Upload;

use crate::auth::identity::Identity;
use crate::db::projects::ProjectId;
use crate::db::{Connection, DbError, figures, listing, traces};
use crate::listing::{ListQuery, in_memory};
pub use syclscope_system::id::Id as TraceId;
use syclscope_text as text;

#[derive(Debug)]
pub enum Storage {
    Files(Files),
    Hosted(Hosted),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub entry: TraceEntry,
    pub id: TraceId,
    /// The user's own file; `None` if the server stores the bytes.
    pub path: Option<PathBuf>,
    /// Version of the content, which never changes for an id and version.
    pub version: Version,
    pub project: ProjectId,
    pub uploaded_by: Option<Identity>,
}

/// Fails if a trace was deleted since it was looked up.
///
/// # Errors
/// Returns an error if the trace is deleted, or the database fails.
pub async fn still_there(connection: &mut Connection, id: &TraceId) -> Result<(), StorageError> {
    traces::find(connection, id).await?.map(drop).ok_or(StorageError::NotFound)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The content of this id never changes: a trace in the data folder.
    Only,
    /// A user's file, which may change: its size and modification time.
    Of { size_bytes: u64, changed_unix_ns: u64 },
}

#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    #[error("trace not found; it may have been deleted")]
    NotFound,
    #[error(
        "these are your own files, which syclscope only reads; `syclscope serve --data DIR` accepts uploads and \
         deletions"
    )]
    LookOnly,
    #[error(
        "the upload is larger than the {} that this server accepts: record a shorter part of the run or fewer streams, \
         or ask an admin to raise the limit (syclscope serve --max-upload-bytes)", text::bytes(*limit_bytes)
    )]
    TooLarge { limit_bytes: u64 },
    #[error("no project {0}")]
    NoSuchProject(ProjectId),
    #[error(
        "project {project} uses {} of its quota of {}, and this upload needs {}: delete traces \
         that nobody needs, or ask an admin to raise the quota (syclscope project set {project} --quota SIZE)",
        text::bytes(*used_bytes), text::bytes(*quota_bytes), text::bytes(*size_bytes)
    )]
    QuotaUsed {
        project: ProjectId,
        quota_bytes: u64,
        /// Current usage, including unfinished uploads.
        used_bytes: u64,
        size_bytes: u64,
    },
    #[error(
        "the upload has no part with this number; parts are numbered from 0, and all but the last have part_bytes bytes"
    )]
    NoSuchPart,
    #[error("the upload is closed: it is being imported, or has ended")]
    UploadOver,
    #[error("the upload is incomplete; GET it to see which parts have arrived")]
    PartsMissing,
    #[error("SHA-256 mismatch: the bytes received differ from the announced ones; send them again")]
    OtherDigest,
    #[error("the store can't be reached: {0}")]
    NoStore(String),
    #[error(transparent)]
    Database(#[from] DbError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Storage {
    pub async fn list(&self, query: &ListQuery) -> Result<Vec<ListedTrace>, StorageError> {
        match self {
            Self::Files(files) => {
                let all = blocking(files, Files::list).await?;
                let mut all: Vec<ListedTrace> = all.into_iter().map(ListedTrace::from).collect();
                files.metrics().add_to(&mut all);
                Ok(in_memory::list(all, query))
            }
            Self::Hosted(hosted) => Ok(listing::list(&mut *hosted.db().reading().await?, query).await?),
        }
    }

    /// Returns stored samples for histories, as JSON by trace id.
    pub async fn samples(&self, ids: &[String]) -> Result<HashMap<String, String>, StorageError> {
        match self {
            Self::Files(files) => Ok(files.metrics().samples(ids)),
            Self::Hosted(hosted) => Ok(figures::samples(&mut *hosted.db().reading().await?, ids).await?),
        }
    }

    pub async fn find(&self, id: &TraceId) -> Result<Stored, StorageError> {
        match self {
            Self::Files(files) => {
                let id = id.clone();
                blocking(files, move |files| files.find(&id)).await
            }
            Self::Hosted(hosted) => hosted.find(id).await,
        }
    }

    /// Returns the file with a trace's bytes.
    ///
    /// # Errors
    /// Returns an error if the file is missing or can't be fetched.
    pub async fn original(&self, stored: &Stored) -> Result<LocalFile, StorageError> {
        match (self, &stored.path) {
            (_, Some(path)) => Ok(LocalFile::in_place(path.clone())),
            (Self::Hosted(hosted), None) => hosted.original(&stored.id).await,
            (Self::Files(_), None) => Err(StorageError::NotFound),
        }
    }

    /// Returns the folder of unfinished files: the system's temporary folder for the user's own files,
    /// otherwise one on the disk of the data folder.
    pub(crate) fn unfinished_folder(&self) -> PathBuf {
        match self {
            Self::Files(_) => std::env::temp_dir(),
            Self::Hosted(hosted) => hosted.unfinished_folder(),
        }
    }

    /// Returns the storage if it accepts uploads.
    ///
    /// # Errors
    /// Returns an error if the storage is the user's own files.
    pub fn hosted(&self) -> Result<&Hosted, StorageError> {
        match self {
            Self::Files(_) => Err(StorageError::LookOnly),
            Self::Hosted(hosted) => Ok(hosted),
        }
    }

    pub async fn delete(&self, id: &TraceId, line: &AuditEntry) -> Result<(), StorageError> {
        self.hosted()?.delete(id, line).await
    }

    /// Returns the maximum size of an upload; `None` if this storage accepts none.
    pub fn upload_limit_bytes(&self) -> Option<u64> {
        self.hosted().ok().map(Hosted::limit_bytes)
    }

    pub async fn has_ledger(&self) -> bool {
        match self {
            Self::Files(files) => {
                blocking(files, |files| Ok(files.ledger_file().is_some())).await.unwrap_or(false)
            }
            Self::Hosted(_) => false,
        }
    }

    /// Reads the ledger of `syclscope try` in the user's folder, if there is one.
    pub async fn ledger(&self) -> Result<Option<LedgerText>, StorageError> {
        match self {
            Self::Files(files) => blocking(files, |files| files.ledger().transpose()).await,
            Self::Hosted(_) => Ok(None),
        }
    }
}

async fn blocking<T: Send + 'static>(
    files: &Files,
    work: impl FnOnce(&Files) -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    let files = files.clone();
    tokio::task::spawn_blocking(move || work(&files)).await.map_err(io::Error::other)?
}

/// Returns a file's modification time in ns since 1970-01-01 UTC; 0 if unknown.
pub(crate) fn changed_unix_ns(meta: &std::fs::Metadata) -> u64 {
    let since = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}
