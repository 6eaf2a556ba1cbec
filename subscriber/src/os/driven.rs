//! A clock controlled by a test, instead of `CLOCK_MONOTONIC` on the test's thread.

use std::cell::{Cell, RefCell};

thread_local! {
    static NOW_NS: Cell<Option<u64>> = const { Cell::new(None) };
}

type Meanwhile = Box<dyn FnMut()>;

thread_local! {
    static MEANWHILE: RefCell<Option<Meanwhile>> = const { RefCell::new(None) };
}

/// Runs `work` at every later call of [`happens`].
pub(crate) fn meanwhile(work: Option<Meanwhile>) {
    MEANWHILE.replace(work);
}

/// Marks a point at which other threads may act.
pub(crate) fn happens() {
    let work = MEANWHILE.take();
    if let Some(mut work) = work {
        work();
        MEANWHILE.replace(Some(work));
    }
}

/// Returns this thread's time, if a test controls it.
pub(super) fn test_time() -> Option<u64> {
    NOW_NS.get()
}

pub(crate) fn begin(ns: u64) {
    NOW_NS.set(Some(ns));
}

pub(crate) fn now() -> u64 {
    NOW_NS.get().expect("a test moves it")
}

pub(crate) fn pass(ns: u64) {
    begin(now() + ns);
}
