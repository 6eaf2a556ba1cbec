//! A clock that a test moves, in place of `CLOCK_MONOTONIC` on the test's thread.

use std::cell::Cell;

thread_local! {
    static NOW_NS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Returns this thread's time, if a test moves it.
pub(super) fn shown() -> Option<u64> {
    NOW_NS.get()
}

/// From here on this thread's clock shows this time.
pub(crate) fn begin(ns: u64) {
    NOW_NS.set(Some(ns));
}

/// Returns the time.
pub(crate) fn now() -> u64 {
    NOW_NS.get().expect("a test moves it")
}

/// Time passes.
pub(crate) fn pass(ns: u64) {
    begin(now() + ns);
}
