//! A data folder: `traces/<id>/{trace.bin,meta.json,derived.arrow}`, uploads under `incoming/`, deleted traces under `trash/`.
//!
//! A trace appears and disappears by one rename, so that a crash at any time leaves it complete or absent. The next start
//! removes what we left under `incoming/` and `trash/`; other files stay. A lock keeps a second server out.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use syclscope_language::api::TraceEntry;

use super::upload::TRACE_FILE;
use super::{StorageError, Stored, TraceId, Upload, Version, name};
use crate::private;

/// Holds what the import computed, beside the original. While it is being written, its name has one more ending.
pub const DERIVED_FILE: &str = "derived.arrow";
const META_FILE: &str = "meta.json";
/// Version of `meta.json`.
const META_VERSION: u32 = 1;

/// A folder that holds traces and accepts uploads.
#[derive(Debug)]
pub struct DataFolder {
    root: PathBuf,
    limit_bytes: u64,
    traces: RwLock<HashMap<TraceId, TraceEntry>>,
    /// Locked while the server runs.
    _lock: File,
}

/// Why a data folder can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another server uses the folder.
    #[error(
        "{} is in use by another `syclscope serve`; stop that one or choose another folder with --data",
        .0.display()
    )]
    InUse(PathBuf),
    /// A file or folder in it can't be read or written.
    #[error("can't use {} as a data folder: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// The description beside a trace.
#[derive(Debug, Serialize, Deserialize)]
struct Meta {
    version: u32,
    #[serde(flatten)]
    entry: TraceEntry,
}

impl DataFolder {
    /// Opens or creates the data folder `root`. Also returns a message for each trace whose description can't be read; we
    /// leave such a trace alone.
    ///
    /// # Errors
    /// When another server uses it or it can't be written.
    pub fn open(root: &Path, limit_bytes: u64) -> Result<(Self, Vec<String>), OpenError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| OpenError::Io { path, error }
        };
        for folder in ["traces", "incoming", "trash"].map(|name| root.join(name)) {
            private::create_folders(&folder).map_err(failed(&folder))?;
        }
        let lock_path = root.join("lock");
        // Without truncation, because the user may have a file of this name in the folder.
        let lock = fs::OpenOptions::new().write(true).create(true).truncate(false).open(&lock_path);
        let lock = lock.map_err(failed(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse(root.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(&lock_path)(error)),
        }
        for folder in ["incoming", "trash"].map(|name| root.join(name)) {
            empty(&folder).map_err(failed(&folder))?;
        }
        let traces_folder = root.join("traces");
        let mut traces = HashMap::new();
        let mut complaints = Vec::new();
        for entry in fs::read_dir(&traces_folder).map_err(failed(&traces_folder))?.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<TraceId>().ok()) else {
                continue;
            };
            remove_unfinished(&entry.path());
            match read_meta(&entry.path().join(META_FILE)) {
                Ok(found) => drop(traces.insert(id, found)),
                Err(error) => complaints.push(format!(
                    "can't read {}, so the list lacks this trace: {error}",
                    entry.path().join(META_FILE).display()
                )),
            }
        }
        complaints.sort();
        let folder = Self { root: root.to_owned(), limit_bytes, traces: RwLock::new(traces), _lock: lock };
        Ok((folder, complaints))
    }

    pub(super) fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    pub(super) fn list(&self) -> Vec<TraceEntry> {
        let mut traces: Vec<TraceEntry> = self.read().values().cloned().collect();
        traces.sort_by(|a, b| b.stored_unix_ns.cmp(&a.stored_unix_ns).then_with(|| a.id.cmp(&b.id)));
        traces
    }

    pub(super) fn find(&self, id: &TraceId) -> Result<Stored, StorageError> {
        let entry = self.read().get(id).cloned().ok_or(StorageError::NotFound)?;
        Ok(self.stored(id, entry))
    }

    pub(super) fn begin_upload(&self, sent_name: &str) -> Result<Upload, StorageError> {
        Upload::begin(&self.root.join("incoming"), name::clean(sent_name), self.limit_bytes)
    }

    pub(super) fn keep(&self, mut upload: Upload) -> Result<Stored, StorageError> {
        let entry = TraceEntry {
            id: upload.id.as_str().to_owned(),
            name: upload.name.clone(),
            size_bytes: upload.size_bytes,
            stored_unix_ns: now_unix_ns(),
        };
        let folder = upload.folder.clone().ok_or(StorageError::NotFound)?;
        let meta = serde_json::to_vec(&Meta { version: META_VERSION, entry: entry.clone() })
            .map_err(io::Error::other)?;
        let meta_path = folder.join(META_FILE);
        let mut file = private::create_file(&meta_path)?;
        file.write_all(&meta)?;
        file.sync_all()?;
        let traces = self.root.join("traces");
        fs::rename(&folder, traces.join(upload.id.as_str()))?;
        upload.folder = None;
        File::open(&traces)?.sync_all()?;
        self.write().insert(upload.id.clone(), entry.clone());
        Ok(self.stored(&upload.id, entry))
    }

    pub(super) fn delete(&self, id: &TraceId) -> Result<(), StorageError> {
        let trash = self.root.join("trash").join(TraceId::random()?.as_str());
        {
            let mut traces = self.write();
            if !traces.contains_key(id) {
                return Err(StorageError::NotFound);
            }
            fs::rename(self.folder_of(id), &trash)?;
            traces.remove(id);
        }
        // The trace is gone already; the next start removes what stays here.
        let _ = fs::remove_dir_all(trash);
        Ok(())
    }

    fn stored(&self, id: &TraceId, entry: TraceEntry) -> Stored {
        Stored { entry, id: id.clone(), path: self.folder_of(id).join(TRACE_FILE), version: Version::Only }
    }

    fn folder_of(&self, id: &TraceId) -> PathBuf {
        self.root.join("traces").join(id.as_str())
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<TraceId, TraceEntry>> {
        self.traces.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<TraceId, TraceEntry>> {
        self.traces.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes derived files that a crash left unfinished.
fn remove_unfinished(folder: &Path) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for file in files.filter(|file| is_unfinished(&file.path())) {
        // A file that stays only takes room.
        let _ = fs::remove_file(file.path());
    }
}

/// Whether a file in a trace's folder is an unfinished derived file.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix(DERIVED_FILE).is_some_and(|rest| rest.starts_with('.'))
}

fn read_meta(path: &Path) -> io::Result<TraceEntry> {
    let meta: Meta = serde_json::from_slice(&fs::read(path)?)?;
    if meta.version > META_VERSION {
        return Err(io::Error::other(format!("a newer syclscope wrote it (version {})", meta.version)));
    }
    Ok(meta.entry)
}

/// Removes what uploads and deletions left in a folder: folders with ids for names. Everything else belongs to the user,
/// who may have chosen a folder that already has an `incoming` or a `trash`.
fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.parse::<TraceId>().is_ok());
        if is_ours && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn now_unix_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn upload(folder: &DataFolder, name: &str, bytes: &[u8]) -> Stored {
        let mut upload = folder.begin_upload(name).unwrap();
        upload.append(bytes).await.unwrap();
        upload.flush().await.unwrap();
        folder.keep(upload).unwrap()
    }

    fn open(root: &Path) -> DataFolder {
        let (folder, complaints) = DataFolder::open(root, 100).unwrap();
        assert_eq!(complaints, [] as [&str; 0]);
        folder
    }

    #[tokio::test]
    async fn traces_survive_a_restart_and_leftovers_do_not() {
        let root = tempfile::tempdir().unwrap();
        let folder = open(root.path());
        let kept = upload(&folder, "a/kept.pftrace", b"bytes").await;
        let deleted = upload(&folder, "deleted", b"").await;
        folder.delete(&deleted.id).unwrap();
        assert!(matches!(folder.delete(&deleted.id), Err(StorageError::NotFound)));
        let mut broken_off = folder.begin_upload("broken").unwrap();
        broken_off.append(b"half").await.unwrap();
        std::mem::forget(broken_off); // as a crash would
        drop(folder);

        let folder = open(root.path());
        assert_eq!(folder.list(), std::slice::from_ref(&kept.entry));
        assert_eq!(folder.find(&kept.id).unwrap(), kept);
        assert_eq!(fs::read(&kept.path).unwrap(), b"bytes");
        assert_eq!(kept.entry.name, "kept.pftrace");
        for name in ["incoming", "trash"] {
            assert_eq!(fs::read_dir(root.path().join(name)).unwrap().count(), 0, "{name}");
        }
    }

    #[test]
    fn files_that_were_there_before_are_kept() {
        let root = tempfile::tempdir().unwrap();
        let names = ["lock", "incoming/thesis.tex", "incoming/photos/1.png", "trash/letter", "traces/notes"];
        for name in names {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        open(root.path());
        for name in names {
            assert_eq!(fs::read_to_string(root.path().join(name)).unwrap(), name);
        }
    }

    #[tokio::test]
    async fn a_dropped_or_too_large_upload_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let folder = open(root.path());
        let mut upload = folder.begin_upload("x").unwrap();
        upload.append(&[0; 100]).await.unwrap();
        assert!(matches!(upload.append(b"1").await, Err(StorageError::TooLarge { limit_bytes: 100 })));
        drop(upload);
        assert_eq!(fs::read_dir(root.path().join("incoming")).unwrap().count(), 0);
    }

    #[test]
    fn a_second_server_is_kept_out() {
        let root = tempfile::tempdir().unwrap();
        let first = open(root.path());
        assert!(matches!(DataFolder::open(root.path(), 1), Err(OpenError::InUse(_))));
        drop(first);
        open(root.path());
    }

    #[test]
    fn damaged_descriptions_are_reported_and_kept() {
        let root = tempfile::tempdir().unwrap();
        drop(open(root.path()));
        let id = TraceId::of(b"x");
        let place = root.path().join("traces").join(id.as_str());
        fs::create_dir(&place).unwrap();
        fs::write(place.join(META_FILE), "{").unwrap();
        let (folder, complaints) = DataFolder::open(root.path(), 1).unwrap();
        assert_eq!((folder.list().len(), complaints.len()), (0, 1));
        assert!(complaints[0].contains(id.as_str()));
        assert!(place.exists());
    }
}
