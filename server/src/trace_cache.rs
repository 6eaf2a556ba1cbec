//! Imported traces in memory: least recently used out first, each imported once however many ask for it.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use syclscope_trace::source::TraceSource;
use syclscope_trace::store::Trace;
use tokio::sync::OnceCell;

use crate::storage::{TraceId, Version};

/// A trace that many requests query at once.
pub type SharedTrace = Arc<dyn TraceSource + Send + Sync>;

/// Why a file could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It can't be read.
    #[error("can't be read: {0}")]
    Read(#[from] io::Error),
    /// It's not a trace.
    #[error("{0}")]
    NotATrace(String),
    /// The importer failed.
    #[error("the importer failed on it; please report this with the file")]
    Failed,
}

/// What loading a trace gives: to everybody who asked the same.
pub type Loaded = Result<SharedTrace, Arc<LoadError>>;

/// Traces in memory, up to a number of bytes.
#[derive(Debug)]
pub struct TraceCache {
    capacity_bytes: u64,
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    by_key: HashMap<(TraceId, Version), Slot>,
    /// Counts uses; a slot's age.
    clock: u64,
}

struct Slot {
    cell: Arc<OnceCell<Loaded>>,
    cost_bytes: u64,
    last_use: u64,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("cost_bytes", &self.cost_bytes).finish_non_exhaustive()
    }
}

impl TraceCache {
    /// A cache for traces that cost `capacity_bytes` together. One that costs more than that is kept alone.
    pub fn new(capacity_bytes: u64) -> Self {
        Self { capacity_bytes, slots: Mutex::default() }
    }

    /// The trace of an id and version; `load` gets it where it's not here, on a thread that may block. The
    /// size of its file stands for its cost.
    ///
    /// # Errors
    /// When it can't be loaded; the next one who asks tries anew.
    pub async fn get(
        &self,
        id: &TraceId,
        version: &Version,
        size_bytes: u64,
        load: impl FnOnce() -> Result<SharedTrace, LoadError> + Send + 'static,
    ) -> Loaded {
        let key = (id.clone(), version.clone());
        let cell = self.slot(&key, size_bytes);
        let task_cell = Arc::clone(&cell);
        // A task of its own: whoever asked first may go away while others wait.
        let task = tokio::spawn(async move {
            let import = || async {
                let loaded = tokio::task::spawn_blocking(load).await;
                loaded.unwrap_or(Err(LoadError::Failed)).map_err(Arc::new)
            };
            task_cell.get_or_init(import).await.clone()
        });
        let loaded = task.await.unwrap_or_else(|_| Err(Arc::new(LoadError::Failed)));
        if loaded.is_err() {
            let mut slots = self.lock();
            if slots.by_key.get(&key).is_some_and(|slot| Arc::ptr_eq(&slot.cell, &cell)) {
                slots.by_key.remove(&key);
            }
        }
        loaded
    }

    /// Forgets every version of a trace.
    pub fn forget(&self, id: &TraceId) {
        self.lock().by_key.retain(|(known, _), _| known != id);
    }

    /// The slot of a key, made where there is none; makes room for it.
    fn slot(&self, key: &(TraceId, Version), cost_bytes: u64) -> Arc<OnceCell<Loaded>> {
        let mut slots = self.lock();
        slots.clock += 1;
        let now = slots.clock;
        let slot = slots.by_key.entry(key.clone()).or_insert_with(|| Slot {
            cell: Arc::default(),
            cost_bytes,
            last_use: now,
        });
        slot.last_use = now;
        // A failure that is still here was told to nobody who would have removed it: they went away.
        if slot.cell.get().is_some_and(Result::is_err) {
            slot.cell = Arc::default();
        }
        let cell = Arc::clone(&slot.cell);
        let mut total: u64 = slots.by_key.values().map(|slot| slot.cost_bytes).sum();
        while total > self.capacity_bytes {
            let oldest =
                slots.by_key.iter().filter(|(other, _)| *other != key).min_by_key(|(_, slot)| slot.last_use);
            let Some(oldest) = oldest.map(|(other, _)| other.clone()) else { break };
            total -= slots.by_key.remove(&oldest).map_or(0, |slot| slot.cost_bytes);
        }
        cell
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads and imports the file at `path`.
///
/// # Errors
/// When it can't be read or is not a trace.
pub fn load_file(path: &Path) -> Result<SharedTrace, LoadError> {
    import(&std::fs::read(path)?)
}

/// Reads and imports a file, for questions that only the store itself answers.
///
/// # Errors
/// When it can't be read or is not a trace.
pub fn open_file(path: &Path) -> Result<Trace, LoadError> {
    open(&std::fs::read(path)?)
}

/// Imports a trace.
///
/// # Errors
/// When the bytes are not a trace.
pub fn import(bytes: &[u8]) -> Result<SharedTrace, LoadError> {
    Ok(Arc::new(open(bytes)?))
}

fn open(bytes: &[u8]) -> Result<Trace, LoadError> {
    syclscope_trace::import::open(bytes).map_err(|error| LoadError::NotATrace(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const TRACE: &[u8] = b"[]";

    fn id(name: &str) -> TraceId {
        TraceId::of(name.as_bytes())
    }

    /// Asks for a trace and says whether that imported it.
    async fn imports(cache: &TraceCache, name: &str, size_bytes: u64) -> bool {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let load = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            import(TRACE)
        };
        assert!(cache.get(&id(name), &Version::Only, size_bytes, load).await.is_ok());
        count.load(Ordering::SeqCst) == 1
    }

    #[tokio::test]
    async fn the_least_recently_used_goes_first() {
        let cache = TraceCache::new(100);
        assert!(imports(&cache, "a", 40).await && imports(&cache, "b", 40).await);
        assert!(!imports(&cache, "a", 40).await);
        assert!(imports(&cache, "c", 40).await);
        assert!(!imports(&cache, "a", 40).await && !imports(&cache, "c", 40).await);
        assert!(imports(&cache, "b", 40).await, "it made room for c");
        assert!(imports(&cache, "huge", 1_000).await && !imports(&cache, "huge", 1_000).await);
        cache.forget(&id("huge"));
        assert!(imports(&cache, "huge", 1_000).await);
    }

    #[tokio::test]
    async fn many_who_ask_at_once_share_one_import() {
        let cache = Arc::new(TraceCache::new(100));
        let count = Arc::new(AtomicUsize::new(0));
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let mut wait = Some(wait);
        let mut asking = Vec::new();
        for _ in 0..8 {
            let (cache, count, wait) = (Arc::clone(&cache), Arc::clone(&count), wait.take());
            asking.push(tokio::spawn(async move {
                let load = move || {
                    count.fetch_add(1, Ordering::SeqCst);
                    // Only the first one gets the channel; it imports when all the others have asked too.
                    wait.map(|wait| wait.recv());
                    import(TRACE)
                };
                cache.get(&id("a"), &Version::Only, 1, load).await.is_ok()
            }));
            tokio::task::yield_now().await;
        }
        // Whoever asked first goes away: the others get their answer all the same.
        asking.remove(0).abort();
        go.send(()).unwrap();
        for task in asking {
            assert!(task.await.unwrap());
        }
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_failure_is_told_and_tried_anew() {
        let cache = TraceCache::new(100);
        let fail = || import(b"not a trace");
        let failed = cache.get(&id("a"), &Version::Only, 1, fail).await;
        assert!(matches!(failed.err().as_deref(), Some(LoadError::NotATrace(_))));
        let panicked =
            cache.get(&id("a"), &Version::Only, 1, || panic!("this is the test's own panic")).await;
        assert!(matches!(panicked.err().as_deref(), Some(LoadError::Failed)));
        assert!(imports(&cache, "a", 1).await);
    }

    #[tokio::test]
    async fn a_failure_that_nobody_waited_for_is_not_kept() {
        let cache = Arc::new(TraceCache::new(100));
        let asked = Arc::clone(&cache);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let asking = tokio::spawn(async move {
            let load = move || {
                let _ = wait.recv();
                import(b"not a trace")
            };
            asked.get(&id("a"), &Version::Only, 1, load).await.is_ok()
        });
        let slot = || cache.lock().by_key.values().next().map(|slot| Arc::clone(&slot.cell));
        while slot().is_none() {
            tokio::task::yield_now().await;
        }
        asking.abort();
        assert!(asking.await.unwrap_err().is_cancelled());
        go.send(()).unwrap();
        while !slot().unwrap().initialized() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        assert!(imports(&cache, "a", 1).await);
    }
}
