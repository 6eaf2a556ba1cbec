//! Pausing and resuming.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_PAUSED: AtomicBool = AtomicBool::new(false);

/// Whether the recording is paused.
#[inline]
pub(crate) fn is_paused() -> bool {
    IS_PAUSED.load(Ordering::Relaxed)
}
