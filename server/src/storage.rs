//! Where traces are: the user's own files, which we read and never change, or our data folder.

mod data_folder;
mod files;
mod mapped;
mod name;
mod upload;

use std::io;
use std::path::PathBuf;

pub use data_folder::{DERIVED_FILE, DataFolder, OpenError};
pub use files::Files;
pub use mapped::map;
use syclscope_language::api::TraceEntry;
pub use upload::Upload;

pub use crate::id::Id as TraceId;

/// Where the server's traces are.
#[derive(Debug)]
pub enum Storage {
    /// A file or folder of the user.
    Files(Files),
    /// A data folder, which accepts uploads.
    DataFolder(DataFolder),
}

/// A stored trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its line in the list.
    pub entry: TraceEntry,
    /// The id, validated.
    pub id: TraceId,
    /// The file with its bytes.
    pub path: PathBuf,
    /// Identifies the content: under one id and version it never changes.
    pub version: Version,
}

/// Which content a trace's id stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The content of this id never changes: traces in the data folder.
    Only,
    /// A user's file may change: its size and time of modification.
    Of {
        /// Size in bytes.
        size_bytes: u64,
        /// ns since 1970-01-01 UTC.
        changed_unix_ns: u64,
    },
}

/// Why the storage refuses or fails.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// There is no trace of that id.
    #[error("there is no such trace; it may have been deleted")]
    NotFound,
    /// These are the user's own files, which we only read.
    #[error(
        "syclscope only reads these files, because they are yours; `syclscope serve --data DIR` accepts uploads and \
         deletes traces"
    )]
    LookOnly,
    /// An upload is larger than allowed.
    #[error(
        "the upload is larger than the {limit_bytes} bytes that this server accepts (--max-upload-bytes)"
    )]
    TooLarge {
        /// Largest upload, in bytes.
        limit_bytes: u64,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Storage {
    /// Every trace, the newest first.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn list(&self) -> Result<Vec<TraceEntry>, StorageError> {
        match self {
            Self::Files(files) => files.list(),
            Self::DataFolder(folder) => Ok(folder.list()),
        }
    }

    /// The trace of an id.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, id: &TraceId) -> Result<Stored, StorageError> {
        match self {
            Self::Files(files) => files.find(id),
            Self::DataFolder(folder) => folder.find(id),
        }
    }

    /// Begins an upload under a file name.
    ///
    /// # Errors
    /// When this storage accepts none or can't write.
    pub fn begin_upload(&self, name: &str) -> Result<Upload, StorageError> {
        match self {
            Self::Files(_) => Err(StorageError::LookOnly),
            Self::DataFolder(folder) => folder.begin_upload(name),
        }
    }

    /// Makes a finished upload a trace.
    ///
    /// # Errors
    /// When it can't be written; then the storage keeps nothing of it.
    pub fn keep(&self, upload: Upload) -> Result<Stored, StorageError> {
        match self {
            Self::Files(_) => Err(StorageError::LookOnly),
            Self::DataFolder(folder) => folder.keep(upload),
        }
    }

    /// Deletes a trace.
    ///
    /// # Errors
    /// When there is none or this storage deletes nothing.
    pub fn delete(&self, id: &TraceId) -> Result<(), StorageError> {
        match self {
            Self::Files(_) => Err(StorageError::LookOnly),
            Self::DataFolder(folder) => folder.delete(id),
        }
    }

    /// Largest upload in bytes; `None` if this storage accepts none.
    pub fn upload_limit_bytes(&self) -> Option<u64> {
        match self {
            Self::Files(_) => None,
            Self::DataFolder(folder) => Some(folder.limit_bytes()),
        }
    }
}

/// Time of a file's last change, ns since 1970-01-01 UTC; 0 where the file system has none.
pub(crate) fn changed_unix_ns(meta: &std::fs::Metadata) -> u64 {
    let since = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}
