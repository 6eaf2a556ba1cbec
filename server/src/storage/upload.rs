//! An upload in progress, in its own folder, which disappears unless the storage keeps the upload.

use std::fs;
use std::path::{Path, PathBuf};

use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use super::{StorageError, TraceId};
use crate::private;

/// Name of the file in a trace's folder.
pub(super) const TRACE_FILE: &str = "trace.bin";

/// An upload in progress. Dropping it removes its folder.
#[derive(Debug)]
pub struct Upload {
    pub(super) id: TraceId,
    pub(super) name: String,
    pub(super) size_bytes: u64,
    /// Its folder; `None` once the storage has kept the upload.
    pub(super) folder: Option<PathBuf>,
    file: File,
    limit_bytes: u64,
}

impl Upload {
    /// Creates the folder `incoming/<id>` and the empty file in it.
    pub(super) fn begin(incoming: &Path, name: String, limit_bytes: u64) -> Result<Self, StorageError> {
        let id = TraceId::random()?;
        let folder = incoming.join(id.as_str());
        private::create_folder(&folder)?;
        match private::create_file(&folder.join(TRACE_FILE)) {
            Ok(file) => Ok(Self {
                id,
                name,
                size_bytes: 0,
                folder: Some(folder),
                file: File::from_std(file),
                limit_bytes,
            }),
            Err(error) => {
                fs::remove_dir(&folder)?;
                Err(error.into())
            }
        }
    }

    /// The id that the trace will have.
    pub fn id(&self) -> &TraceId {
        &self.id
    }

    /// The file name that the client sent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file with the bytes so far.
    pub fn path(&self) -> PathBuf {
        self.folder.as_deref().unwrap_or(Path::new("")).join(TRACE_FILE)
    }

    /// Number of bytes so far.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Refuses an announced size that is larger than allowed.
    ///
    /// # Errors
    /// When it is larger.
    pub fn announce(&self, size_bytes: u64) -> Result<(), StorageError> {
        if size_bytes > self.limit_bytes {
            return Err(StorageError::TooLarge { limit_bytes: self.limit_bytes });
        }
        Ok(())
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When there are more than allowed or they can't be written.
    pub async fn append(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.announce(self.size_bytes.saturating_add(bytes.len() as u64))?;
        self.file.write_all(bytes).await?;
        self.size_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Waits until every byte is safely on the disk.
    ///
    /// # Errors
    /// When it can't be written.
    pub async fn flush(&mut self) -> Result<(), StorageError> {
        self.file.flush().await?;
        self.file.sync_all().await?;
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // The next start removes what stays here.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
