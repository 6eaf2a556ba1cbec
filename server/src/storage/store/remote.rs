//! An object store (S3, Azure Blob Storage, Google Cloud Storage) with a local cache.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path as Name;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt as _, RetryConfig};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::super::meta::META_FILE;
use super::super::upload::TRACE_FILE;
use super::super::{LocalFile, StorageError, TraceId, Upload};
use super::local::Local;
use super::{DERIVED, Folder, StoredState, derived_file};
use crate::db::now_unix_ns;
use syclscope_system::private_files;

/// Bytes per request, which are in memory during an upload or download.
const PIECE_BYTES: u64 = 8 << 20;
/// Maximum number of parts of an object that every store accepts.
const MAX_PIECES: u64 = 5_000;
/// Time limit of a request, including retries.
const PATIENCE: Duration = Duration::from_secs(20);
/// Age at which a derived file of another build is removed, in seconds. Recent ones are kept, because a
/// replica that still runs that build would only write them again.
const OLD_SECONDS: i64 = 24 * 3600;

#[derive(Debug)]
pub struct Remote {
    objects: Arc<dyn ObjectStore>,
    prefix: Name,
    local: Local,
    incoming: Folder,
}

#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    #[error("invalid store URL: expected s3://, az://, gs:// or file:///")]
    UnknownKind,
    #[error("{0}")]
    Settings(#[from] Error),
}

impl Remote {
    /// Opens a store by its URL, `s3://bucket/prefix` and the like. Keys and other settings are in the
    /// environment (`AWS_…`, `AZURE_…`, `GOOGLE_…`). `incoming` and `local` are local folders.
    ///
    /// # Errors
    /// Returns an error if the URL or the environment is invalid; the store is not contacted yet.
    pub fn open(address: &str, incoming: Folder, local: Local) -> Result<Self, AddressError> {
        // Fails if a crypto provider is already installed; any one will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retry = RetryConfig { max_retries: 5, retry_timeout: PATIENCE, ..RetryConfig::default() };
        let (kind, rest) = address.split_once("://").ok_or(AddressError::UnknownKind)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let objects: Arc<dyn ObjectStore> = match kind {
            "s3" => Arc::new(AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry).build()?),
            "az" => Arc::new(
                MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(retry).build()?,
            ),
            "gs" => Arc::new(
                GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retry).build()?,
            ),
            _ => return Err(AddressError::UnknownKind),
        };
        let prefix = Name::parse(prefix.trim_end_matches('/')).map_err(Error::from)?;
        Ok(Self { objects, prefix, local, incoming })
    }

    /// Opens a store over these objects.
    #[cfg(test)]
    pub(in super::super) fn over(objects: Arc<dyn ObjectStore>, incoming: Folder, local: Local) -> Self {
        Self { objects, prefix: Name::default(), local, incoming }
    }

    pub(super) fn incoming(&self) -> PathBuf {
        self.incoming.incoming()
    }

    pub(super) async fn check(&self) -> Result<(), StorageError> {
        self.below(&self.prefix).await.map(drop)
    }

    pub(super) async fn clear(&self) -> Result<(), StorageError> {
        self.incoming.clear().await
    }

    pub(super) async fn put(&self, id: &TraceId, folder: &Path) -> Result<(), StorageError> {
        let derived = derived_file();
        // The description is uploaded last: if it exists, so do the other files.
        for name in [TRACE_FILE, derived, META_FILE] {
            let path = folder.join(name);
            if tokio::fs::try_exists(&path).await? {
                self.upload(&path, &self.trace(id).join(name)).await?;
            }
        }
        for name in [TRACE_FILE, derived] {
            // Cached, since the next request needs the file.
            let _ = self.local.take(&local_name(id, name), &folder.join(name)).await;
        }
        let _ = tokio::fs::remove_dir_all(folder).await;
        Ok(())
    }

    pub(super) async fn original(&self, id: &TraceId) -> Result<LocalFile, StorageError> {
        self.local_file(id, TRACE_FILE).await
    }

    pub(super) async fn has(&self, id: &TraceId) -> Result<bool, StorageError> {
        for name in [TRACE_FILE, META_FILE] {
            match self.objects.head(&self.trace(id).join(name)).await {
                Err(Error::NotFound { .. }) => return Ok(false),
                found => drop(found?),
            }
        }
        Ok(true)
    }

    pub(super) async fn derived(&self, id: &TraceId) -> Result<Option<LocalFile>, StorageError> {
        match self.local_file(id, derived_file()).await {
            Ok(file) => Ok(Some(file)),
            Err(StorageError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn put_derived(&self, id: &TraceId, file: &Path) -> Result<(), StorageError> {
        self.upload(file, &self.trace(id).join(derived_file())).await?;
        self.local.take(&local_name(id, derived_file()), file).await?;
        for object in self.below(&self.trace(id)).await? {
            let name = object.location.filename().unwrap_or_default();
            let is_old = now_seconds() - object.last_modified.timestamp() > OLD_SECONDS;
            if name.starts_with(DERIVED) && name != derived_file() && is_old {
                self.delete(&object.location).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn remove_derived(&self, id: &TraceId) -> Result<(), StorageError> {
        self.local.forget(&local_name(id, derived_file()));
        self.delete(&self.trace(id).join(derived_file())).await
    }

    pub(super) async fn remove(&self, id: &TraceId) -> Result<(), StorageError> {
        // The description is deleted first: files without one are not a trace.
        self.delete(&self.trace(id).join(META_FILE)).await?;
        for object in self.below(&self.trace(id)).await? {
            if let Some(name) = object.location.filename() {
                self.local.forget(&local_name(id, name));
            }
            self.delete(&object.location).await?;
        }
        Ok(())
    }

    pub(super) async fn keep_copies_of(&self, ids: &HashSet<TraceId>) -> Result<(), StorageError> {
        let is_of_one = |name: &str| {
            let id = name.split_once('-').and_then(|(id, _)| id.parse::<TraceId>().ok());
            id.is_some_and(|id| ids.contains(&id))
        };
        self.local.keep(is_of_one);
        Ok(())
    }

    pub(super) async fn traces(&self) -> Result<Vec<TraceId>, StorageError> {
        self.ids("traces").await
    }

    pub(super) async fn uploads(&self) -> Result<Vec<TraceId>, StorageError> {
        self.ids("uploads").await
    }

    /// Returns the ids below a part of the prefix.
    async fn ids(&self, name: &str) -> Result<Vec<TraceId>, StorageError> {
        let all = self.objects.list_with_delimiter(Some(&self.prefix.clone().join(name))).await?;
        Ok(all.common_prefixes.iter().filter_map(|name| name.filename()?.parse().ok()).collect())
    }

    pub(super) async fn state(&self, id: &TraceId) -> Result<StoredState, StorageError> {
        let objects = self.below(&self.trace(id)).await?;
        let written = objects.iter().filter_map(|object| object.last_modified.timestamp_nanos_opt()).max();
        let written_unix_ns = written.and_then(|ns| u64::try_from(ns).ok()).unwrap_or(0);
        let meta = match self.objects.get(&self.trace(id).join(META_FILE)).await {
            Ok(object) => Some(object.bytes().await?.to_vec()),
            Err(Error::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(StoredState { meta, written_unix_ns })
    }

    pub(super) async fn put_part(
        &self,
        upload: &TraceId,
        number: u64,
        file: &Path,
    ) -> Result<(), StorageError> {
        self.upload(file, &self.parts(upload).join(number.to_string())).await
    }

    pub(super) async fn append_part(
        &self,
        upload: &TraceId,
        number: u64,
        whole: &mut Upload,
    ) -> Result<(), StorageError> {
        let name = self.parts(upload).join(number.to_string());
        let size_bytes = self.objects.head(&name).await?.size;
        for piece in pieces(size_bytes, PIECE_BYTES) {
            whole.append(&self.objects.get_range(&name, piece).await?).await?;
        }
        Ok(())
    }

    pub(super) async fn remove_parts(&self, upload: &TraceId) -> Result<(), StorageError> {
        for object in self.below(&self.parts(upload)).await? {
            self.delete(&object.location).await?;
        }
        Ok(())
    }

    pub(super) async fn put_file(&self, name: &str, file: &Path) -> Result<(), StorageError> {
        self.upload(file, &self.prefix.clone().join(name)).await
    }

    pub(super) async fn get_file(&self, name: &str, to: &Path) -> Result<(), StorageError> {
        self.fetch(&self.prefix.clone().join(name), to).await.map(drop)
    }

    /// Copies an object to a new file and returns its size.
    async fn fetch(&self, name: &Name, to: &Path) -> Result<u64, StorageError> {
        let size_bytes = self.objects.head(name).await?.size;
        let mut out = File::from_std(private_files::create_file(to)?);
        for piece in pieces(size_bytes, PIECE_BYTES) {
            out.write_all(&self.objects.get_range(name, piece).await?).await?;
        }
        out.flush().await?;
        // A file with its final name is trusted, even after a power failure.
        out.sync_all().await?;
        Ok(size_bytes)
    }

    /// Returns a file of a trace from the local cache, fetched if missing.
    async fn local_file(&self, id: &TraceId, file: &str) -> Result<LocalFile, StorageError> {
        let name = &self.trace(id).join(file);
        let fetch = |to: PathBuf| async move { self.fetch(name, &to).await };
        self.local.get(&local_name(id, file), fetch).await
    }

    /// Uploads a file piece by piece. It appears completely or not at all.
    async fn upload(&self, file: &Path, name: &Name) -> Result<(), StorageError> {
        let mut file = File::open(file).await?;
        let size_bytes = file.metadata().await?.len();
        let piece_bytes = PIECE_BYTES.max(size_bytes.div_ceil(MAX_PIECES));
        if size_bytes <= piece_bytes {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).await?;
            self.objects.put(name, bytes.into()).await?;
            return Ok(());
        }
        let mut upload = self.objects.put_multipart(name).await?;
        let sent = async {
            for piece in pieces(size_bytes, piece_bytes) {
                let mut bytes = vec![0; usize::try_from(piece.end - piece.start).unwrap_or(usize::MAX)];
                file.read_exact(&mut bytes).await?;
                upload.put_part(bytes.into()).await?;
            }
            upload.complete().await?;
            Ok::<_, StorageError>(())
        };
        match sent.await {
            Ok(()) => Ok(()),
            Err(error) => {
                // The store's own rules remove leftovers.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }

    async fn delete(&self, name: &Name) -> Result<(), StorageError> {
        match self.objects.delete(name).await {
            Err(Error::NotFound { .. }) => Ok(()),
            other => Ok(other?),
        }
    }

    async fn below(&self, name: &Name) -> Result<Vec<ObjectMeta>, StorageError> {
        Ok(self.objects.list_with_delimiter(Some(name)).await?.objects)
    }

    fn trace(&self, id: &TraceId) -> Name {
        self.prefix.clone().join("traces").join(id.as_str())
    }

    fn parts(&self, upload: &TraceId) -> Name {
        self.prefix.clone().join("uploads").join(upload.as_str())
    }
}

fn now_seconds() -> i64 {
    i64::try_from(now_unix_ns() / 1_000_000_000).unwrap_or(i64::MAX)
}

fn local_name(id: &TraceId, file: &str) -> String {
    format!("{id}-{file}")
}

/// Returns consecutive ranges of at most this many bytes that cover a whole.
fn pieces(size_bytes: u64, piece_bytes: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
    (0..size_bytes.div_ceil(piece_bytes))
        .map(move |number| number * piece_bytes..((number + 1) * piece_bytes).min(size_bytes))
}

impl From<Error> for StorageError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound { .. } => Self::NotFound,
            error => Self::NoStore(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn copies_of_traces_that_others_deleted_go() {
        let folder = tempfile::tempdir().unwrap();
        let copies = folder.path().join("copies");
        std::fs::create_dir(&copies).unwrap();
        let [kept, deleted] = [&b"kept"[..], b"deleted"].map(TraceId::for_bytes);
        for id in [&kept, &deleted] {
            for file in [TRACE_FILE, derived_file()] {
                std::fs::write(copies.join(local_name(id, file)), "bytes").unwrap();
            }
        }
        let remote = Remote {
            objects: Arc::new(object_store::memory::InMemory::new()),
            prefix: Name::default(),
            local: Local::open(&copies, 100).unwrap(),
            incoming: Folder::open(folder.path(), false).unwrap(),
        };
        remote.keep_copies_of(&HashSet::from([kept.clone()])).await.unwrap();
        let has = |id, file| copies.join(local_name(id, file)).exists();
        let left = [&kept, &deleted].map(|id| [TRACE_FILE, derived_file()].map(|file| has(id, file)));
        assert_eq!(left, [[true; 2], [false; 2]]);
        assert!(matches!(remote.original(&deleted).await, Err(StorageError::NotFound)));
        assert!(remote.original(&kept).await.is_ok());
    }

    #[test]
    fn pieces_make_up_the_whole() {
        assert_eq!(pieces(0, 4).count(), 0);
        assert_eq!(pieces(8, 4).collect::<Vec<_>>(), [0..4, 4..8]);
        assert_eq!(pieces(9, 4).last(), Some(8..9));
    }
}
