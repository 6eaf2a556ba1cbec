//! Mutual exclusion of the writer's steps, of samples, and of forks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::fault;

/// Maximum time that a fork waits until the writer holds no lock of the runtime that the child would inherit.
const FORK_PATIENCE: Duration = Duration::from_secs(1);

/// True while the writer works, or while a fork keeps it from working.
static IS_AT_WORK: AtomicBool = AtomicBool::new(false);
static IS_HELD_BY_FORK: AtomicBool = AtomicBool::new(false);

/// Guard of the writer's work, during which the writer may hold locks of the runtime and of the C library.
pub(super) struct Work;

impl Work {
    /// Starts as soon as no other work runs, within `patience`.
    pub(super) fn begin(patience: Duration) -> Option<Self> {
        let begin = Instant::now();
        while IS_AT_WORK.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            if begin.elapsed() >= patience && (patience.is_zero() || !fault::is_patient()) {
                return None;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        Some(Self)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        IS_AT_WORK.store(false, Ordering::Release);
    }
}

/// Keeps the writer from working during a fork: its locks would stay locked in the child.
pub(super) extern "C" fn before_fork() {
    if let Some(work) = Work::begin(FORK_PATIENCE) {
        std::mem::forget(work);
        IS_HELD_BY_FORK.store(true, Ordering::Relaxed);
    }
}

pub(super) extern "C" fn after_fork() {
    if IS_HELD_BY_FORK.swap(false, Ordering::Relaxed) {
        drop(Work);
    }
}

/// Frees the work in a forked child, whose other threads are gone.
pub(super) fn forget() {
    IS_HELD_BY_FORK.store(false, Ordering::Relaxed);
    IS_AT_WORK.store(false, Ordering::Relaxed);
}
