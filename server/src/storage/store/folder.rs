//! A plain folder of bytes, which several servers may share. Entries appear by one rename, once they are
//! durable; removed ones are first renamed into `trash`.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::io::AsyncReadExt as _;

use super::super::meta::META_FILE;
use super::super::upload::TRACE_FILE;
use super::super::{LocalFile, StorageError, TraceId, Upload, changed_unix_ns};
use super::{DERIVED, StoredState, derived_file};
use syclscope_system::private_files;

/// Age at which an entry in `incoming` is abandoned. Stalled uploads are dropped after a minute.
const ORPHAN_AGE: Duration = Duration::from_secs(24 * 3600);
const PIECE_BYTES: usize = 1 << 20;
/// Name of the derived file in older versions.
const OLD_DERIVED: &str = "derived.arrow";

#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    is_shared: bool,
}

impl Folder {
    /// Opens or creates the folders in `root`.
    ///
    /// # Errors
    /// Returns an error with its path if a folder can't be created.
    pub fn open(root: &Path, is_shared: bool) -> Result<Self, (PathBuf, io::Error)> {
        for name in ["traces", "uploads", "incoming", "trash"] {
            let path = root.join(name);
            private_files::create_folders(&path).map_err(|error| (path, error))?;
        }
        Ok(Self { root: root.to_owned(), is_shared })
    }

    pub(super) fn incoming(&self) -> PathBuf {
        self.root.join("incoming")
    }

    pub(super) async fn check(&self) -> Result<(), StorageError> {
        let meta = tokio::fs::metadata(self.root.join("traces")).await?;
        if meta.is_dir() { Ok(()) } else { Err(io::Error::from(io::ErrorKind::NotADirectory).into()) }
    }

    pub(super) async fn clear(&self) -> Result<(), StorageError> {
        let own = self.clone();
        blocking(move || {
            empty(&own.root.join("trash"), Duration::ZERO)?;
            empty(&own.incoming(), if own.is_shared { ORPHAN_AGE } else { Duration::ZERO })
        })
        .await
    }

    pub(super) async fn put(&self, id: &TraceId, folder: &Path) -> Result<(), StorageError> {
        let (own, place, folder) = (self.clone(), self.place(id), folder.to_owned());
        blocking(move || {
            File::open(&folder)?.sync_all()?;
            match fs::rename(&folder, &place) {
                // Another server with the same task has already stored its complete folder.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    fs::remove_dir_all(&folder)?;
                }
                renamed => renamed?,
            }
            File::open(own.root.join("traces"))?.sync_all()
        })
        .await
    }

    pub(super) async fn original(&self, id: &TraceId) -> Result<LocalFile, StorageError> {
        if self.has(id).await? {
            return Ok(LocalFile::in_place(self.place(id).join(TRACE_FILE)));
        }
        Err(StorageError::NotFound)
    }

    pub(super) async fn has(&self, id: &TraceId) -> Result<bool, StorageError> {
        Ok(tokio::fs::try_exists(self.place(id).join(TRACE_FILE)).await?)
    }

    pub(super) async fn derived(&self, id: &TraceId) -> Result<Option<LocalFile>, StorageError> {
        let path = self.place(id).join(derived_file());
        let is_there = self.original(id).await.is_ok() && tokio::fs::try_exists(&path).await?;
        Ok(is_there.then(|| LocalFile::in_place(path)))
    }

    pub(super) async fn put_derived(&self, id: &TraceId, file: &Path) -> Result<(), StorageError> {
        let (place, file) = (self.place(id), file.to_owned());
        blocking(move || {
            fs::rename(&file, place.join(derived_file()))?;
            remove_derived_of_others(&place);
            Ok(())
        })
        .await
    }

    pub(super) async fn remove_derived(&self, id: &TraceId) -> Result<(), StorageError> {
        let path = self.place(id).join(derived_file());
        blocking(move || ignore_missing(fs::remove_file(path))).await
    }

    pub(super) async fn remove(&self, id: &TraceId) -> Result<(), StorageError> {
        self.discard(self.place(id)).await
    }

    /// There are no copies: the traces are used in place.
    pub(super) async fn keep_copies_of(&self, _: &HashSet<TraceId>) -> Result<(), StorageError> {
        Ok(())
    }

    pub(super) async fn traces(&self) -> Result<Vec<TraceId>, StorageError> {
        self.ids("traces").await
    }

    pub(super) async fn uploads(&self) -> Result<Vec<TraceId>, StorageError> {
        self.ids("uploads").await
    }

    /// Returns the entries of a folder that are named by ids.
    async fn ids(&self, name: &str) -> Result<Vec<TraceId>, StorageError> {
        let folder = self.root.join(name);
        blocking(move || Ok(fs::read_dir(folder)?.flatten().filter_map(|entry| id_of(&entry)).collect()))
            .await
    }

    pub(super) async fn state(&self, id: &TraceId) -> Result<StoredState, StorageError> {
        let place = self.place(id);
        blocking(move || {
            let entries = match fs::read_dir(&place) {
                // Another server has removed it since it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                entries => entries?,
            };
            let mut found = StoredState::default();
            for entry in entries.flatten() {
                let written = entry.metadata().map_or(0, |meta| changed_unix_ns(&meta));
                found.written_unix_ns = found.written_unix_ns.max(written);
            }
            found.meta = match fs::read(place.join(META_FILE)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                // A description that can't be read now is not missing.
                read => Some(read?),
            };
            Ok(Some(found))
        })
        .await?
        .ok_or(StorageError::NotFound)
    }

    /// Renames files of an older version in a trace's folder, and removes its unfinished ones.
    pub(in super::super) async fn modernise(&self, id: &TraceId) -> Result<(), StorageError> {
        let place = self.place(id);
        blocking(move || {
            let files = match fs::read_dir(&place) {
                // Another server has removed it since it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                files => files?,
            };
            for file in files.flatten() {
                let is_unfinished =
                    file.file_name().to_str().is_some_and(|name| name.starts_with("derived.arrow."));
                if is_unfinished {
                    // A leftover file only takes space.
                    let _ = fs::remove_file(file.path());
                }
            }
            let new = place.join(derived_file());
            if !new.exists() {
                ignore_missing(fs::rename(place.join(OLD_DERIVED), new))?;
            }
            Ok(())
        })
        .await
    }

    pub(super) async fn put_part(
        &self,
        upload: &TraceId,
        number: u64,
        file: &Path,
    ) -> Result<(), StorageError> {
        let (folder, file) = (self.parts(upload), file.to_owned());
        blocking(move || {
            private_files::create_folders(&folder)?;
            fs::rename(&file, folder.join(number.to_string()))?;
            File::open(&folder)?.sync_all()
        })
        .await
    }

    pub(super) async fn append_part(
        &self,
        upload: &TraceId,
        number: u64,
        whole: &mut Upload,
    ) -> Result<(), StorageError> {
        let mut part = tokio::fs::File::open(self.parts(upload).join(number.to_string())).await?;
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            match part.read(&mut piece).await? {
                0 => return Ok(()),
                read => whole.append(&piece[..read]).await?,
            }
        }
    }

    pub(super) async fn remove_parts(&self, upload: &TraceId) -> Result<(), StorageError> {
        self.discard(self.parts(upload)).await
    }

    pub(super) async fn put_file(&self, name: &str, file: &Path) -> Result<(), StorageError> {
        let (root, place, file) = (self.root.clone(), self.root.join(name), file.to_owned());
        blocking(move || {
            fs::rename(file, place)?;
            File::open(root)?.sync_all()
        })
        .await
    }

    pub(super) async fn get_file(&self, name: &str, to: &Path) -> Result<(), StorageError> {
        let (place, to) = (self.root.join(name), to.to_owned());
        blocking(move || match File::open(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            file => io::copy(&mut file?, &mut private_files::create_file(&to)?).map(|_| true),
        })
        .await?
        .then_some(())
        .ok_or(StorageError::NotFound)
    }

    /// Atomically hides a folder, and then removes its files.
    async fn discard(&self, folder: PathBuf) -> Result<(), StorageError> {
        let trash = self.root.join("trash").join(TraceId::random()?.as_str());
        blocking(move || {
            ignore_missing(fs::rename(folder, &trash))?;
            // The next start removes leftovers.
            let _ = fs::remove_dir_all(trash);
            Ok(())
        })
        .await
    }

    fn place(&self, id: &TraceId) -> PathBuf {
        self.root.join("traces").join(id.as_str())
    }

    fn parts(&self, upload: &TraceId) -> PathBuf {
        self.root.join("uploads").join(upload.as_str())
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, StorageError> {
    Ok(tokio::task::spawn_blocking(work).await.map_err(io::Error::other)??)
}

/// Treats a missing file as removed.
fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn id_of(entry: &fs::DirEntry) -> Option<TraceId> {
    entry.file_name().to_str()?.parse().ok()
}

/// Removes old derived files of other builds. Recent ones are kept, because a replica that still runs the
/// other build would only write them again.
fn remove_derived_of_others(place: &Path) {
    for file in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = file.file_name();
        let name = name.to_str().unwrap_or_default();
        if name.starts_with(DERIVED) && name != derived_file() && is_older(&file, ORPHAN_AGE) {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn is_older(entry: &fs::DirEntry, age: Duration) -> bool {
    let written = entry.metadata().and_then(|meta| meta.modified());
    let elapsed = written.ok().and_then(|written| SystemTime::now().duration_since(written).ok());
    age.is_zero() || elapsed.is_some_and(|elapsed| elapsed > age)
}

/// Removes leftovers of uploads and deletions in a folder: subfolders named by ids. Everything else belongs
/// to the user, who may have chosen a folder that already has an `incoming` or a `trash`.
fn empty(folder: &Path, age: Duration) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if id_of(&entry).is_some() && is_older(&entry, age) && entry.file_type()?.is_dir() {
            ignore_missing(fs::remove_dir_all(entry.path()))?;
        }
    }
    Ok(())
}
