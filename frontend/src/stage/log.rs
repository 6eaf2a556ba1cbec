//! Registry of drawing code and frame times, for tests that inspect the page from outside.
//!
//! Only the page for tests (`syclscope-page-testing`) uses it. In the users' page nothing does, so the linker drops
//! this code and every log that is only reachable from it.

use std::any::Any;
use std::cell::Cell;

#[cfg(target_arch = "wasm32")]
use crate::browser::now_ms;

pub type Watcher = fn(&dyn Any);

thread_local! {
    static WATCHER: Cell<Option<Watcher>> = const { Cell::new(None) };
    static FRAME_MS: Cell<f64> = const { Cell::new(0.0) };
}

pub fn watch(watcher: Watcher) {
    WATCHER.set(Some(watcher));
}

pub fn draws(drawer: &dyn Any) {
    if let Some(watcher) = WATCHER.get() {
        watcher(drawer);
    }
}

/// Runs a frame, and measures it if there is a watcher.
#[cfg(target_arch = "wasm32")]
pub(crate) fn measure_frame(frame: impl FnOnce()) {
    let start_ms = WATCHER.get().map(|_| now_ms());
    frame();
    if let Some(start_ms) = start_ms {
        FRAME_MS.set(now_ms() - start_ms);
    }
}

pub fn frame_ms() -> f64 {
    FRAME_MS.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static SEEN: Cell<u32> = const { Cell::new(0) };
    }

    #[test]
    fn only_a_watcher_is_told() {
        draws(&1_u32);
        watch(|drawer| SEEN.set(SEEN.get() + drawer.downcast_ref::<u32>().copied().unwrap_or(100)));
        draws(&2_u32);
        draws(&3_u32);
        assert_eq!(SEEN.get(), 5);
    }
}
