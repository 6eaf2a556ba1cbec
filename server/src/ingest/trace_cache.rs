//! Imported traces in memory with LRU eviction. Each is imported once, however many requests need it.

mod ready;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use syclscope_engine::budget::{Budget, Spent};
use syclscope_engine::cancel::{self, Work};
use syclscope_engine::import::ImportError;
use syclscope_engine::query::QueryError;
use tokio::sync::OnceCell;

pub use self::ready::{Ready, SharedTrace};
use crate::http::metrics::Text;
use crate::ingest::imports::Imports;
use crate::limits::fair_semaphore::TooMany;
use crate::limits::query_executor::Unanswered;
use crate::storage::{StorageError, TraceId, Version};
use syclscope_system::trace_file::OpenError;

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("can't be read: {0}")]
    Read(#[from] io::Error),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("{0}")]
    NotATrace(String),
    #[error(
        "{0}, the limit set by this server's `--import-memory-bytes`: record a shorter part of the run or fewer streams"
    )]
    Memory(Spent),
    /// The decompressed file is too large.
    #[error("{0}")]
    Unpacked(String),
    #[error("the importer crashed; please report this with the file")]
    Failed,
}

/// Result of loading, shared by all requests for the same trace.
pub type Loaded = Result<SharedTrace, Arc<LoadError>>;

#[derive(Debug)]
pub struct TraceCache {
    capacity_bytes: u64,
    slots: Arc<Mutex<Slots>>,
    imports: Imports,
}

#[derive(Debug, Default)]
struct Slots {
    by_key: HashMap<(TraceId, Version), Slot>,
    /// Counter of uses, for LRU.
    clock: u64,
}

struct Slot {
    cell: Arc<OnceCell<Loaded>>,
    /// Without the trace's cached results.
    cost_bytes: u64,
    last_use: u64,
    /// True if the trace's file is known to be undamaged, or needs no check.
    is_checked: bool,
}

impl Slot {
    /// Returns its current cost, with the trace's cached results.
    fn cost_bytes(&self) -> u64 {
        let trace = self.cell.get().and_then(|loaded| loaded.as_ref().ok());
        self.cost_bytes + trace.map_or(0, |trace| trace.cached_bytes() as u64)
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("cost_bytes", &self.cost_bytes).finish_non_exhaustive()
    }
}

impl TraceCache {
    /// Creates a cache for traces of `capacity_bytes` together. A larger trace is cached alone.
    pub fn new(capacity_bytes: u64, imports: Imports) -> Self {
        Self { capacity_bytes, slots: Arc::default(), imports }
    }

    /// Runs work on a trace in the turn of an import, on a blocking thread, within limits of steps and bytes.
    ///
    /// # Errors
    /// Returns an error if the work exceeds a limit, or panics.
    pub(crate) async fn in_turn<T: Send + 'static>(
        &self,
        steps: u64,
        memory_bytes: u64,
        ask: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unanswered> {
        let _turn = self.imports.turn().await;
        let share = self.imports.account().take(None, memory_bytes).await;
        let share = share.map_err(|TooMany| Unanswered::Busy)?;
        let done = move || cancel::within(&Work::with_steps(steps), share.budget(), ask);
        let done = tokio::task::spawn_blocking(done).await.map_err(|_| Unanswered::Failed)?;
        Ok(done.map_err(QueryError::from)?)
    }

    /// Returns the trace with an id and version. If it is not cached, `find` looks for it at once; if it finds
    /// nothing, `import` loads the trace in its turn. Both run on blocking threads. Until the trace is loaded, its
    /// cost is the size of its file.
    ///
    /// # Errors
    /// Returns an error if the trace can't be loaded; the next request tries again.
    pub async fn get(
        &self,
        id: &TraceId,
        version: &Version,
        size_bytes: u64,
        find: impl FnOnce() -> Option<Ready> + Send + 'static,
        import: impl FnMut(Budget) -> Result<Ready, LoadError> + Send + 'static,
    ) -> Loaded {
        let key = (id.clone(), version.clone());
        let cell = self.slot(&key, size_bytes);
        if let Some(Ok(trace)) = cell.get() {
            return Ok(trace.clone());
        }
        let filling = Filling { slots: Arc::clone(&self.slots), key: key.clone(), cell: Arc::clone(&cell) };
        let imports = self.imports.clone();
        let capacity_bytes = self.capacity_bytes;
        // In a task, because the first request may be dropped while others wait.
        let task = tokio::spawn(async move {
            let cell = Arc::clone(&filling.cell);
            let load = || async move {
                let ready = load(find, import, &imports).await.map_err(Arc::new)?;
                filling.weigh(ready.cost_bytes, capacity_bytes);
                match ready.check {
                    Some(check) => drop(tokio::spawn(filling.check(check, imports))),
                    None => filling.mark_checked(),
                }
                Ok(ready.trace)
            };
            cell.get_or_init(load).await.clone()
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

    /// True if a trace's answers may be cached, because it is in memory and its file was checked.
    pub fn is_checked(&self, id: &TraceId, version: &Version) -> bool {
        self.lock().by_key.get(&(id.clone(), version.clone())).is_some_and(|slot| slot.is_checked)
    }

    pub(crate) fn write(&self, text: &mut Text) {
        let (traces, bytes) = {
            let slots = self.lock();
            (slots.by_key.len(), slots.by_key.values().map(Slot::cost_bytes).sum::<u64>())
        };
        text.current("syclscope_cache_traces", "Cached traces.", traces);
        text.current("syclscope_cache_bytes", "Memory used by cached traces, in bytes.", bytes);
        text.current(
            "syclscope_cache_capacity_bytes",
            "Memory limit of cached traces, in bytes.",
            self.capacity_bytes,
        );
        self.imports.write(text);
    }

    /// Drops every version of a trace.
    pub fn forget(&self, id: &TraceId) {
        self.lock().by_key.retain(|(other, _), _| other != id);
    }

    /// Returns the slot of a key, created if needed, and evicts other traces if necessary.
    fn slot(&self, key: &(TraceId, Version), cost_bytes: u64) -> Arc<OnceCell<Loaded>> {
        let mut slots = self.lock();
        slots.clock += 1;
        let now = slots.clock;
        let slot = slots.by_key.entry(key.clone()).or_insert_with(|| Slot {
            cell: Arc::default(),
            cost_bytes,
            last_use: now,
            is_checked: false,
        });
        slot.last_use = now;
        // Its file was truncated since, or all requests that waited for this failure were dropped before they
        // could remove it.
        let is_good = |loaded: &Loaded| loaded.as_ref().is_ok_and(SharedTrace::is_whole);
        if slot.cell.get().is_some_and(|loaded| !is_good(loaded)) {
            slot.cell = Arc::default();
            slot.is_checked = false;
        }
        let cell = Arc::clone(&slot.cell);
        slots.make_room(key, self.capacity_bytes);
        cell
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        lock(&self.slots)
    }
}

fn lock(slots: &Mutex<Slots>) -> MutexGuard<'_, Slots> {
    slots.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slots {
    /// Removes the least recently used traces until the others fit, but never `new`.
    fn make_room(&mut self, new: &(TraceId, Version), capacity_bytes: u64) {
        let mut total: u64 = self.by_key.values().map(Slot::cost_bytes).sum();
        while total > capacity_bytes {
            let others = self.by_key.iter().filter(|(other, _)| *other != new);
            let oldest = others.min_by_key(|(_, slot)| slot.last_use).map(|(other, _)| other.clone());
            let Some(oldest) = oldest else { break };
            total -= self.by_key.remove(&oldest).map_or(0, |slot| slot.cost_bytes());
        }
    }
}

/// A slot while a task fills it.
struct Filling {
    slots: Arc<Mutex<Slots>>,
    key: (TraceId, Version),
    cell: Arc<OnceCell<Loaded>>,
}

impl Filling {
    /// Sets the cost of the slot's trace and evicts others if necessary.
    fn weigh(&self, cost_bytes: u64, capacity_bytes: u64) {
        let mut slots = lock(&self.slots);
        if let Some(slot) = slots.by_key.get_mut(&self.key).filter(|slot| Arc::ptr_eq(&slot.cell, &self.cell))
        {
            slot.cost_bytes = cost_bytes;
        }
        slots.make_room(&self.key, capacity_bytes);
    }

    /// Allows answers of the slot's trace to be cached.
    fn mark_checked(&self) {
        let mut slots = lock(&self.slots);
        if let Some(slot) = slots.by_key.get_mut(&self.key).filter(|slot| Arc::ptr_eq(&slot.cell, &self.cell))
        {
            slot.is_checked = true;
        }
    }

    /// Checks the trace in its turn, and drops it if its file is damaged.
    async fn check(self, check: Box<dyn FnOnce() -> bool + Send>, imports: Imports) {
        let _turn = imports.turn().await;
        let is_sound = tokio::task::spawn_blocking(check).await.unwrap_or(false);
        if is_sound {
            return self.mark_checked();
        }
        let mut slots = lock(&self.slots);
        if slots.by_key.get(&self.key).is_some_and(|slot| Arc::ptr_eq(&slot.cell, &self.cell)) {
            slots.by_key.remove(&self.key);
        }
    }
}

async fn load(
    find: impl FnOnce() -> Option<Ready> + Send + 'static,
    import: impl FnMut(Budget) -> Result<Ready, LoadError> + Send + 'static,
    imports: &Imports,
) -> Result<Ready, LoadError> {
    if let Ok(Some(found)) = tokio::task::spawn_blocking(find).await {
        return Ok(found);
    }
    imports.run(import).await
}

impl From<OpenError> for LoadError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Read(error) => Self::Read(error),
            OpenError::Import(error) => error.into(),
        }
    }
}

impl From<ImportError> for LoadError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Memory(spent) => Self::Memory(spent),
            ImportError::Unpacked { .. } => Self::Unpacked(error.to_string()),
            other => Self::NotATrace(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use syclscope_engine::store::Trace;

    use super::*;
    use crate::limits::MemoryAccount;

    const TRACE: &[u8] = b"[]";

    fn open(bytes: &[u8]) -> Result<Trace, LoadError> {
        Ok(syclscope_engine::import::open(bytes)?)
    }

    fn cache(capacity_bytes: u64) -> TraceCache {
        TraceCache::new(capacity_bytes, Imports::within(&MemoryAccount::new(1 << 30), 1 << 30))
    }

    fn id(name: &str) -> TraceId {
        TraceId::for_bytes(name.as_bytes())
    }

    /// Requests a trace. True if that imported it.
    async fn imports(cache: &TraceCache, name: &str, size_bytes: u64) -> bool {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let load = move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(Ready { cost_bytes: size_bytes, ..Ready::new(open(TRACE)?) })
        };
        assert!(cache.get(&id(name), &Version::Only, size_bytes, || None, load).await.is_ok());
        count.load(Ordering::SeqCst) == 1
    }

    #[tokio::test]
    async fn the_least_recently_used_goes_first() {
        let cache = cache(100);
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
    async fn what_a_trace_keeps_from_answering_counts() {
        const KERNEL: &[u8] = br#"[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"step","cat":"kernel"}]"#;
        let cache = cache(100);
        let load = |_| Ok(Ready { cost_bytes: 60, ..Ready::new(open(KERNEL)?) });
        let trace = cache.get(&id("a"), &Version::Only, 60, || None, load).await.unwrap();
        assert_eq!(trace.cached_bytes(), 0);
        assert!(imports(&cache, "b", 40).await && !imports(&cache, "b", 40).await);
        trace.answer(&"critical_path".parse().unwrap()).unwrap();
        assert!(trace.cached_bytes() > 0, "nothing was kept");
        assert!(!imports(&cache, "b", 40).await);
        let has = |name: &str| cache.lock().by_key.contains_key(&(id(name), Version::Only));
        assert_eq!((has("a"), has("b")), (false, true), "there is room for one only");
    }

    #[tokio::test]
    async fn a_damaged_file_is_found_and_dropped() {
        let cache = cache(1 << 30);
        let imports_of = |is_sound: bool| {
            let cache = &cache;
            async move {
                let find = move || Some(Ready::new(open(TRACE).ok()?).to_check(move || is_sound));
                let import = |_| panic!("it was found");
                assert!(cache.get(&id("a"), &Version::Only, 1, find, import).await.is_ok());
            }
        };
        imports_of(true).await;
        while !cache.is_checked(&id("a"), &Version::Only) {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        assert!(!imports(&cache, "a", 1).await);
        cache.forget(&id("a"));
        imports_of(false).await;
        while !cache.lock().by_key.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        assert!(imports(&cache, "a", 1).await);
    }

    #[tokio::test]
    async fn many_who_ask_at_once_share_one_import() {
        let cache = Arc::new(cache(100));
        let count = Arc::new(AtomicUsize::new(0));
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let mut wait = Some(wait);
        let mut asking = Vec::new();
        for _ in 0..8 {
            let (cache, count, mut wait) = (Arc::clone(&cache), Arc::clone(&count), wait.take());
            asking.push(tokio::spawn(async move {
                let load = move |_| {
                    count.fetch_add(1, Ordering::SeqCst);
                    // Only the first one gets the channel; it imports when all the others wait, too.
                    wait.take().map(|wait| wait.recv());
                    open(TRACE).map(Ready::new)
                };
                cache.get(&id("a"), &Version::Only, 1, || None, load).await.is_ok()
            }));
            tokio::task::yield_now().await;
        }
        // The first request is dropped; the others still get their answer.
        asking.remove(0).abort();
        go.send(()).unwrap();
        for task in asking {
            assert!(task.await.unwrap());
        }
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn after_a_failure_the_next_request_tries_again() {
        let cache = cache(100);
        let fail = |_| open(b"not a trace").map(Ready::new);
        let failed = cache.get(&id("a"), &Version::Only, 1, || None, fail).await;
        assert!(matches!(failed.err().as_deref(), Some(LoadError::NotATrace(_))));
        let panicked =
            cache.get(&id("a"), &Version::Only, 1, || None, |_| panic!("this is the test's own panic")).await;
        assert!(matches!(panicked.err().as_deref(), Some(LoadError::Failed)));
        assert!(imports(&cache, "a", 1).await);
    }

    #[tokio::test]
    async fn a_failure_that_nobody_waited_for_is_not_kept() {
        let cache = Arc::new(cache(100));
        let asked = Arc::clone(&cache);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let asking = tokio::spawn(async move {
            let load = move |_| {
                let _ = wait.recv();
                open(b"not a trace").map(Ready::new)
            };
            asked.get(&id("a"), &Version::Only, 1, || None, load).await.is_ok()
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
