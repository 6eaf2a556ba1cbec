//! An upload in progress, in its own folder, which is removed unless the storage keeps the upload.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use super::{StorageError, TraceId};
use syclscope_system::private_files;

/// Name of the original among a trace's files.
pub(super) const TRACE_FILE: &str = "trace.bin";

/// An upload in progress. Dropping it removes its folder, if that still exists.
#[derive(Debug)]
pub struct Upload {
    id: TraceId,
    name: String,
    size_bytes: u64,
    digest: Sha256,
    folder: PathBuf,
    file: File,
    limit_bytes: u64,
}

impl Upload {
    /// Creates a folder in `incoming` with an empty file.
    pub(super) async fn begin(
        incoming: &Path,
        id: TraceId,
        name: String,
        limit_bytes: u64,
    ) -> Result<Self, StorageError> {
        // Not the trace's id, because two servers may work on the same trace if one of them was wrongly
        // considered dead.
        let folder = incoming.join(TraceId::random()?.as_str());
        let begun = tokio::task::spawn_blocking(move || {
            private_files::create_folder(&folder)?;
            match private_files::create_file(&folder.join(TRACE_FILE)) {
                Ok(file) => Ok((folder, file)),
                Err(error) => {
                    fs::remove_dir(&folder)?;
                    Err(error)
                }
            }
        });
        let (folder, file) = begun.await.map_err(std::io::Error::other)??;
        let (file, digest) = (File::from_std(file), Sha256::new());
        Ok(Self { id, name, size_bytes: 0, digest, folder, file, limit_bytes })
    }

    /// Returns the id of the future trace.
    pub fn id(&self) -> &TraceId {
        &self.id
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(TRACE_FILE)
    }

    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Returns the digest of the bytes so far, in hexadecimal.
    pub fn sha256(&self) -> String {
        hex(&self.digest.clone().finalize())
    }

    /// Rejects an announced size above the limit.
    pub fn announce(&self, size_bytes: u64) -> Result<(), StorageError> {
        if size_bytes > self.limit_bytes {
            return Err(StorageError::TooLarge { limit_bytes: self.limit_bytes });
        }
        Ok(())
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Returns an error if the bytes exceed the limit or can't be written.
    pub async fn append(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.announce(self.size_bytes.saturating_add(bytes.len() as u64))?;
        self.file.write_all(bytes).await?;
        self.digest.update(bytes);
        self.size_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Syncs all bytes to the disk.
    pub async fn flush(&mut self) -> Result<(), StorageError> {
        self.file.flush().await?;
        self.file.sync_all().await?;
        Ok(())
    }
}

/// Returns size in bytes and hexadecimal digest of a file.
pub(super) fn digest_of(path: &Path) -> std::io::Result<(u64, String)> {
    let (mut file, mut digest) = (fs::File::open(path)?, Sha256::new());
    let (mut piece, mut size_bytes) = (vec![0; 1 << 20], 0);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok((size_bytes, hex(&digest.finalize()))),
            read => {
                digest.update(&piece[..read]);
                size_bytes += read as u64;
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Infallible: writes to a String don't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Drop for Upload {
    fn drop(&mut self) {
        // A stored upload has no folder any more. The next start removes leftovers.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
