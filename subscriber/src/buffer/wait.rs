//! Waiting for the writer when a buffer is full.

use std::cell::Cell;
use std::time::Duration;

use crate::control::{self, State};
use crate::{fault, os};

const PAUSE: Duration = Duration::from_micros(100);
/// Number of pauses without progress of the writer after which no thread waits any more: at least half a second.
const PATIENCE: u32 = 5_000;
/// The same while the writer waits for a slow disk: at least 15 seconds.
const PATIENCE_WITH_DISK: u32 = 150_000;

thread_local! {
    static NEVER: Cell<bool> = const { Cell::new(false) };
}

/// Declares that the calling thread never waits for the writer, which may be waiting for this thread. Records that
/// don't fit are dropped.
pub(crate) fn never_wait() {
    NEVER.set(true);
}

/// Waits until `consumed`, the number of words that the writer has taken out of a ring, exceeds `target`. Returns false
/// if that doesn't happen, or if waiting is disabled.
///
/// The writer may have exited, or may itself wait for a lock of the calling thread. So this times out, and no thread
/// waits afterwards.
#[cold]
#[inline(never)]
pub(super) fn for_room(target: u64, consumed: impl Fn() -> u64) -> bool {
    if !control::waits_when_full() || NEVER.get() {
        return false;
    }
    // A thread that is cancelled while it sleeps would be unwound through our code.
    os::without_cancellation(|| {
        let mut seen = consumed();
        let mut pauses = 0;
        loop {
            if seen > target {
                return true;
            }
            if control::state() == State::Off || !control::waits_when_full() {
                return false;
            }
            let patience = if control::is_at_disk() { PATIENCE_WITH_DISK } else { PATIENCE };
            if pauses > patience && !fault::is_patient() {
                control::give_up_waiting();
                return false;
            }
            std::thread::sleep(PAUSE);
            pauses += 1;
            let before = std::mem::replace(&mut seen, consumed());
            if seen != before {
                pauses = 0;
            }
        }
    })
}
