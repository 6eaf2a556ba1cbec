//! Local cache of a store's files with LRU eviction. Each is fetched once, however many requests need it.

use std::collections::HashMap;
use std::fs;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use super::super::{LocalFile, StorageError, TraceId};
use syclscope_system::private_files;

/// Suffix of a file that is being fetched.
const UNFINISHED: &str = ".part";

#[derive(Debug)]
pub struct Local {
    root: PathBuf,
    capacity_bytes: u64,
    copies: Mutex<Copies>,
}

#[derive(Debug, Default)]
struct Copies {
    by_name: HashMap<String, Copy>,
    /// Counter of uses, for LRU.
    clock: u64,
}

#[derive(Debug, Default)]
struct Copy {
    /// Its size, once fetched.
    cell: Arc<OnceCell<u64>>,
    in_use: Arc<()>,
    last_use: u64,
}

/// A file that is being fetched. It is removed on drop, unless it was renamed: the fetch failed, or its client left.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Copy {
    fn size_bytes(&self) -> u64 {
        self.cell.get().copied().unwrap_or(0)
    }

    /// True if it is fetched and not in use.
    fn is_idle(&self) -> bool {
        self.cell.initialized() && Arc::strong_count(&self.in_use) == 1
    }
}

impl Local {
    /// Opens or creates a folder with a size limit in bytes. Existing copies are valid, since the content of
    /// a name never changes.
    ///
    /// # Errors
    /// Returns an error if the folder can't be created or read.
    pub fn open(root: &Path, capacity_bytes: u64) -> io::Result<Self> {
        private_files::create_folders(root)?;
        let mut found = Vec::new();
        for file in fs::read_dir(root)? {
            let file = file?;
            let (name, meta) = (file.file_name().to_string_lossy().into_owned(), file.metadata()?);
            if name.ends_with(UNFINISHED) {
                fs::remove_file(file.path())?;
            } else if meta.is_file() {
                found.push((meta.modified()?, name, meta.len()));
            }
        }
        found.sort();
        let mut copies = Copies::default();
        for (_, name, size_bytes) in found {
            copies.clock += 1;
            let cell = Arc::new(OnceCell::new_with(Some(size_bytes)));
            copies.by_name.insert(name, Copy { cell, last_use: copies.clock, ..Copy::default() });
        }
        let own = Self { root: root.to_owned(), capacity_bytes, copies: Mutex::new(copies) };
        own.make_room();
        Ok(own)
    }

    /// Returns a copy by name. `fetch` writes a missing one to a path, and returns its size. A copy whose file was
    /// removed counts as missing. If the disk is full, unused copies are removed.
    pub(super) async fn get<F: Future<Output = Result<u64, StorageError>>>(
        &self,
        name: &str,
        fetch: impl Fn(PathBuf) -> F,
    ) -> Result<LocalFile, StorageError> {
        let (mut cell, mut in_use) = self.entry(name);
        if cell.initialized() && !tokio::fs::try_exists(self.root.join(name)).await? {
            self.forget_lost(name, &cell);
            (cell, in_use) = self.entry(name);
        }
        let fetch_once = || async {
            let place = self.root.join(format!("{name}.{}{UNFINISHED}", TraceId::random()?));
            let unfinished = Unfinished(place);
            let size_bytes = fetch(unfinished.0.clone()).await?;
            tokio::fs::rename(&unfinished.0, self.root.join(name)).await?;
            Ok::<_, StorageError>(size_bytes)
        };
        let fetched = cell.get_or_try_init(|| async {
            match fetch_once().await {
                Err(StorageError::Io(error)) if is_full(&error) => {
                    self.keep(|_| false);
                    fetch_once().await
                }
                fetched => fetched,
            }
        });
        match fetched.await {
            Ok(_) => {
                self.make_room();
                Ok(LocalFile::copy(self.root.join(name), in_use))
            }
            Err(error) => {
                self.forget_empty(name);
                Err(error)
            }
        }
    }

    /// Moves a file into the cache because it will be needed.
    pub(super) async fn take(&self, name: &str, file: &Path) -> Result<(), StorageError> {
        let size_bytes = tokio::fs::metadata(file).await?.len();
        let (cell, _in_use) = self.entry(name);
        tokio::fs::rename(file, self.root.join(name)).await?;
        let _ = cell.set(size_bytes);
        self.make_room();
        Ok(())
    }

    /// Removes a copy. Existing maps stay valid.
    pub(super) fn forget(&self, name: &str) {
        let mut copies = self.lock();
        copies.by_name.remove(name);
        let _ = fs::remove_file(self.root.join(name));
    }

    /// Removes unused copies, except those with names for which `stays` returns true.
    pub(super) fn keep(&self, stays: impl Fn(&str) -> bool) {
        self.lock().by_name.retain(|name, copy| {
            let stays = stays(name) || !copy.is_idle();
            if !stays {
                let _ = fs::remove_file(self.root.join(name));
            }
            stays
        });
    }

    /// Returns the cell of a copy, marked as just used.
    fn entry(&self, name: &str) -> (Arc<OnceCell<u64>>, Arc<()>) {
        let mut copies = self.lock();
        copies.clock += 1;
        let now = copies.clock;
        let copy = copies.by_name.entry(name.to_owned()).or_default();
        copy.last_use = now;
        (Arc::clone(&copy.cell), Arc::clone(&copy.in_use))
    }

    /// Removes the entry of a copy that could not be fetched, unless another request is fetching it.
    fn forget_empty(&self, name: &str) {
        let mut copies = self.lock();
        let is_empty = |copy: &Copy| !copy.cell.initialized() && Arc::strong_count(&copy.in_use) <= 2;
        if copies.by_name.get(name).is_some_and(is_empty) {
            copies.by_name.remove(name);
        }
    }

    /// Removes the entry of a copy whose file is gone, unless another request has already replaced it.
    fn forget_lost(&self, name: &str, cell: &Arc<OnceCell<u64>>) {
        let mut copies = self.lock();
        if copies.by_name.get(name).is_some_and(|copy| Arc::ptr_eq(&copy.cell, cell)) {
            copies.by_name.remove(name);
        }
    }

    /// Evicts the least recently used unused copies until the others fit.
    fn make_room(&self) {
        let mut copies = self.lock();
        let mut total: u64 = copies.by_name.values().map(Copy::size_bytes).sum();
        while total > self.capacity_bytes {
            let idle = copies.by_name.iter().filter(|(_, copy)| copy.is_idle());
            let oldest = idle.min_by_key(|(_, copy)| copy.last_use).map(|(name, _)| name.clone());
            let Some(name) = oldest else { break };
            total -= copies.by_name.remove(&name).map_or(0, |copy| copy.size_bytes());
            // A file that can't be removed only takes space.
            let _ = fs::remove_file(self.root.join(&name));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Gets a copy of this size. True if that fetched it.
    async fn fetches(local: &Local, name: &str, size_bytes: usize) -> bool {
        let count = AtomicUsize::new(0);
        let fetch = |to: PathBuf| async {
            count.fetch_add(1, Ordering::SeqCst);
            // Yields, so that others can request the same.
            tokio::task::yield_now().await;
            tokio::fs::write(to, vec![0; size_bytes]).await?;
            Ok(size_bytes as u64)
        };
        let file = local.get(name, fetch).await.unwrap();
        assert_eq!(fs::metadata(&file).unwrap().len(), size_bytes as u64);
        count.load(Ordering::SeqCst) == 1
    }

    fn names(root: &Path) -> Vec<String> {
        let files = fs::read_dir(root).unwrap().flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn the_least_recently_used_goes_unless_it_is_in_use() {
        let root = tempfile::tempdir().unwrap();
        let local = Local::open(root.path(), 100).unwrap();
        assert!(fetches(&local, "a", 40).await && fetches(&local, "b", 40).await);
        assert!(!fetches(&local, "a", 40).await);
        assert!(fetches(&local, "c", 40).await);
        assert_eq!(names(root.path()), ["a", "c"]);
        let kept = local.get("a", |_| async { panic!("it is there") }).await.unwrap();
        assert!(fetches(&local, "d", 90).await);
        assert_eq!(names(root.path()), ["a", "d"]);
        drop(kept);
        assert!(fetches(&local, "e", 1).await);
        assert_eq!(names(root.path()), ["d", "e"]);
        local.forget("d");
        assert!(fetches(&local, "d", 1).await);
    }

    #[tokio::test]
    async fn many_who_want_it_at_once_share_one_fetch() {
        let root = tempfile::tempdir().unwrap();
        let local = Local::open(root.path(), 100).unwrap();
        let (one, two, three) =
            tokio::join!(fetches(&local, "a", 9), fetches(&local, "a", 9), fetches(&local, "a", 9));
        assert_eq!([one, two, three].iter().filter(|fetched| **fetched).count(), 1);
    }

    #[tokio::test]
    async fn what_could_not_be_fetched_is_fetched_next_time() {
        let root = tempfile::tempdir().unwrap();
        let local = Local::open(root.path(), 100).unwrap();
        let broken = local.get("a", |to| async move {
            tokio::fs::write(to, "half").await?;
            Err(StorageError::NotFound)
        });
        assert!(matches!(broken.await, Err(StorageError::NotFound)));
        assert_eq!(names(root.path()), [] as [&str; 0]);
        assert!(fetches(&local, "a", 3).await);
    }

    #[tokio::test]
    async fn on_a_full_disk_unused_copies_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let local = Local::open(root.path(), 100).unwrap();
        assert!(fetches(&local, "unused", 40).await && fetches(&local, "used", 40).await);
        let used = local.get("used", |_| async { panic!("it is there") }).await.unwrap();
        let fetch = |to: PathBuf| async {
            if root.path().join("unused").exists() {
                return Err(StorageError::Io(io::ErrorKind::StorageFull.into()));
            }
            tokio::fs::write(to, [0; 9]).await?;
            Ok(9)
        };
        local.get("new", fetch).await.unwrap();
        assert_eq!(names(root.path()), ["new", "used"]);
        drop(used);
        let full = local.get("other", |_| async { Err(StorageError::Io(io::ErrorKind::StorageFull.into())) });
        let full = full.await;
        assert!(matches!(full, Err(StorageError::Io(error)) if is_full(&error)));
    }

    #[tokio::test]
    async fn what_somebody_removed_is_fetched_again() {
        let root = tempfile::tempdir().unwrap();
        let local = Local::open(root.path(), 100).unwrap();
        assert!(fetches(&local, "a", 3).await && !fetches(&local, "a", 3).await);
        fs::remove_file(root.path().join("a")).unwrap();
        assert!(fetches(&local, "a", 3).await && !fetches(&local, "a", 3).await);
    }

    #[tokio::test]
    async fn who_leaves_during_a_fetch_leaves_no_file() {
        let root = tempfile::tempdir().unwrap();
        let local = Local::open(root.path(), 100).unwrap();
        let endless = |to: PathBuf| async move {
            tokio::fs::write(to, "half").await?;
            std::future::pending::<Result<u64, StorageError>>().await
        };
        let patience = std::time::Duration::from_millis(200);
        assert!(tokio::time::timeout(patience, local.get("a", endless)).await.is_err());
        assert_eq!(names(root.path()), [] as [&str; 0]);
        assert!(fetches(&local, "a", 3).await);
    }

    #[tokio::test]
    async fn copies_outlive_the_server() {
        let root = tempfile::tempdir().unwrap();
        assert!(fetches(&Local::open(root.path(), 100).unwrap(), "a", 30).await);
        fs::write(root.path().join(format!("b{UNFINISHED}")), "half").unwrap();
        let local = Local::open(root.path(), 100).unwrap();
        assert!(!fetches(&local, "a", 30).await);
        assert_eq!(names(root.path()), ["a"]);
        drop(Local::open(root.path(), 10).unwrap());
        assert_eq!(names(root.path()), [] as [&str; 0], "there is less room now");
    }
}
