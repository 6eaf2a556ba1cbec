//! Where traces are kept: the user's own files, looked at but never changed, or a data folder of ours.

mod data_folder;
mod files;
mod id;
mod mapped;
mod name;
mod upload;

use std::io;
use std::path::PathBuf;

pub use data_folder::{DERIVED_FILE, DataFolder, OpenError};
pub use files::Files;
pub use id::TraceId;
pub use mapped::map;
use syclscope_language::api::TraceEntry;
pub use upload::Upload;

/// Where the server's traces are.
#[derive(Debug)]
pub enum Storage {
    /// A file or a folder of the user's.
    Files(Files),
    /// A data folder, which takes uploads.
    DataFolder(DataFolder),
}

/// A trace that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What a list shows of it.
    pub entry: TraceEntry,
    /// The same id, checked.
    pub id: TraceId,
    /// Its file.
    pub path: PathBuf,
    /// What its content may be recognised by; the content under one id and version never changes.
    pub version: Version,
}

/// Which content a trace's id stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The content of this id never changes.
    Only,
    /// A user's file that may be written anew: its size and time of change.
    Of {
        /// In bytes.
        size_bytes: u64,
        /// ns since 1970-01-01 UTC.
        changed_unix_ns: u64,
    },
}

/// Why the storage can't do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// There is no trace of that id.
    #[error("there is no such trace; it may have been deleted")]
    NotFound,
    /// The user's own files are only looked at.
    #[error(
        "these are files of yours that syclscope only looks at; `syclscope serve --data DIR` takes uploads and \
         deletes"
    )]
    LookOnly,
    /// An upload is larger than allowed.
    #[error("the upload is larger than the {limit_bytes} bytes that this server takes (--max-upload-bytes)")]
    TooLarge {
        /// The limit.
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
    /// When this storage takes none or can't write.
    pub fn begin_upload(&self, name: &str) -> Result<Upload, StorageError> {
        match self {
            Self::Files(_) => Err(StorageError::LookOnly),
            Self::DataFolder(folder) => folder.begin_upload(name),
        }
    }

    /// Makes a finished upload a trace.
    ///
    /// # Errors
    /// When it can't be written; nothing of it is left then.
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

    /// The largest upload in bytes; `None` if this storage takes none.
    pub fn upload_limit_bytes(&self) -> Option<u64> {
        match self {
            Self::Files(_) => None,
            Self::DataFolder(folder) => Some(folder.limit_bytes()),
        }
    }
}

/// Time of a file's last change, ns since 1970-01-01 UTC; 0 where the file system has none.
fn changed_unix_ns(meta: &std::fs::Metadata) -> u64 {
    let since = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}
