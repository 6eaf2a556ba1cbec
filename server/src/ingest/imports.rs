//! Imports in turn, within the memory that concurrent imports share.
//!
//! The memory that an import needs can't be predicted from its file. So each import begins with its share; if
//! it needs more, it runs again, alone, with all of the memory. An import that is refused then would not fit
//! at any other time either.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use syclscope_engine::budget::Budget;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::http::metrics::Text;
use crate::ingest::trace_cache::LoadError;
use crate::limits::MemoryAccount;
use syclscope_system::memory::allocated_bytes;

/// Maximum size of a decompressed file, larger than any recording that can be viewed.
const UNPACKED_BYTES: u64 = 64 << 30;

#[derive(Clone, Debug)]
pub struct Imports {
    turns: Arc<Semaphore>,
    count: u32,
    /// Maximum memory of all imports together.
    memory_bytes: u64,
    account: MemoryAccount,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Includes waiting imports.
    under_way: AtomicU64,
    imported: AtomicU64,
    /// Imports refused because of the contents of their files.
    refused: AtomicU64,
    failed: AtomicU64,
}

struct UnderWay(Arc<Counts>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Imports {
    /// Allows imports that together take at most `memory_bytes` of an account. Each also takes a core; half
    /// of the cores are reserved for other work.
    pub fn within(account: &MemoryAccount, memory_bytes: u64) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(account, memory_bytes, (cores as u32 / 2).max(1))
    }

    fn new(account: &MemoryAccount, memory_bytes: u64, count: u32) -> Self {
        let turns = Arc::new(Semaphore::new(count as usize));
        let (account, counts) = (account.clone(), Arc::default());
        Self { turns, count, memory_bytes, account, counts }
    }

    pub(crate) fn account(&self) -> &MemoryAccount {
        &self.account
    }

    /// Waits for a turn, for work that needs little memory.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.turns.acquire().await.ok()
    }

    /// Runs an import in its turn, on a blocking thread. If it exceeds its share, it runs again, alone.
    ///
    /// # Errors
    /// Returns the error of the import; [`LoadError::Memory`] if it needs more than all imports may take.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        import: impl FnMut(Budget) -> Result<T, LoadError> + Send + 'static,
    ) -> Result<T, LoadError> {
        self.counts.under_way.fetch_add(1, Ordering::Relaxed);
        let _under_way = UnderWay(Arc::clone(&self.counts));
        let done = match self.in_turn(1, import).await {
            (Some(import), Err(LoadError::Memory(_))) if self.count > 1 => {
                self.in_turn(self.count, import).await.1
            }
            (_, done) => done,
        };
        let count = match &done {
            Ok(_) => &self.counts.imported,
            Err(LoadError::NotATrace(_) | LoadError::Memory(_) | LoadError::Unpacked(_)) => {
                &self.counts.refused
            }
            Err(LoadError::Read(_) | LoadError::Storage(_) | LoadError::Failed) => &self.counts.failed,
        };
        count.fetch_add(1, Ordering::Relaxed);
        done
    }

    pub(crate) fn write(&self, text: &mut Text) {
        let number = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        text.current(
            "syclscope_imports_under_way",
            "Running and waiting imports.",
            number(&counts.under_way),
        );
        text.family("syclscope_imports_total", "counter", "Imports by outcome.");
        for (outcome, count) in
            [("imported", &counts.imported), ("refused", &counts.refused), ("failed", &counts.failed)]
        {
            text.sample("syclscope_imports_total", &[("outcome", outcome)], number(count));
        }
    }

    /// Runs an import with this many turns. Returns the import, unless it panicked.
    async fn in_turn<T: Send + 'static, I>(
        &self,
        turns: u32,
        mut import: I,
    ) -> (Option<I>, Result<T, LoadError>)
    where
        I: FnMut(Budget) -> Result<T, LoadError> + Send + 'static,
    {
        let _turns = self.turns.acquire_many(turns).await;
        let memory_bytes = self.memory_bytes / u64::from(self.count) * u64::from(turns);
        let Ok(share) = self.account.take(None, memory_bytes).await else {
            return (None, Err(LoadError::Failed));
        };
        let work = move || {
            let _share = share;
            let done = import(Budget::new(memory_bytes, allocated_bytes).unpacking_up_to(UNPACKED_BYTES));
            (Some(import), done)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or((None, Err(LoadError::Failed)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use syclscope_engine::budget::Spent;

    use super::*;

    #[tokio::test]
    async fn what_needs_more_than_its_share_runs_again_alone() {
        let imports = Imports::new(&MemoryAccount::new(0), 1000, 4);
        let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
        let told = Arc::clone(&seen);
        let turns = Arc::clone(&imports.turns);
        let done = imports
            .run(move |budget| {
                told.lock().unwrap().push((budget.memory_bytes(), turns.available_permits()));
                let allowed_bytes = budget.memory_bytes();
                if allowed_bytes < 600 { Err(LoadError::Memory(Spent { allowed_bytes })) } else { Ok(()) }
            })
            .await;
        assert!(done.is_ok());
        assert_eq!(*seen.lock().unwrap(), [(250, 3), (1000, 0)]);
    }

    #[tokio::test]
    async fn what_fits_nowhere_is_refused_with_all_there_is() {
        let imports = Imports::new(&MemoryAccount::new(0), 1000, 2);
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        let refused = imports
            .run(move |budget| {
                counted.fetch_add(1, Ordering::Relaxed);
                Err::<(), _>(LoadError::Memory(Spent { allowed_bytes: budget.memory_bytes() }))
            })
            .await;
        assert!(matches!(refused, Err(LoadError::Memory(Spent { allowed_bytes: 1000 }))));
        assert_eq!(tries.load(Ordering::Relaxed), 2);
        assert_eq!(imports.turns.available_permits(), 2);
    }
}
