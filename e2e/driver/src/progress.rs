//! Changes that waits depend on: an event is signalled, a queue becomes empty, work can begin.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static WORLD: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, ()> {
    WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a change for which others may wait, and wakes them.
pub(crate) fn change<T>(change: impl FnOnce() -> T) -> T {
    let guard = lock();
    let changed = change();
    drop(guard);
    CHANGED.notify_all();
    changed
}

/// Waits until `look` returns a result.
pub(crate) fn take<T>(look: impl Fn() -> Option<T>) -> T {
    let mut guard = lock();
    loop {
        if let Some(found) = look() {
            return found;
        }
        guard = CHANGED.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits until a condition is true, for at most `limit_ns`. Returns false after that time.
pub(crate) fn wait(limit_ns: u64, is_so: impl Fn() -> bool) -> bool {
    // Longer than any test, and short enough for the sum not to overflow.
    let end = Instant::now() + Duration::from_nanos(limit_ns.min(1 << 56));
    let mut guard = lock();
    while !is_so() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        guard = CHANGED
            .wait_timeout(guard, left)
            .map_or_else(|poisoned| poisoned.into_inner().0, |(guard, _)| guard);
    }
    true
}
