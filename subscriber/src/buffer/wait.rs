//! Waiting for the writer where a buffer is full.

use std::time::Duration;

use super::Ring;
use crate::control::{self, State};
use crate::writer;
use crate::xpti::sys;

const PAUSE: Duration = Duration::from_micros(100);
/// After so many pauses without any progress of the writer nobody waits any more: some second.
const PATIENCE: u32 = 5_000;
/// As long as it is writing to a slow disk: half a minute.
const PATIENCE_WITH_DISK: u32 = 150_000;

/// Waits until the word at a position fits into the ring; false if it does not, or if nobody is to wait.
///
/// The writer may be waiting itself for something that the calling thread holds, and it may be gone: so this ends after a
/// while, and nobody waits from then on.
#[cold]
#[inline(never)]
pub(super) fn for_room(ring: &Ring, position: u64) -> bool {
    if !control::waits_when_full() {
        return false;
    }
    // A thread that is cancelled while it sleeps would be unwound through us.
    sys::without_cancellation(|| {
        let mut consumed = ring.consumed();
        let mut pauses = 0;
        loop {
            if position < consumed + ring.capacity() as u64 {
                return true;
            }
            if control::state() == State::Off || !control::waits_when_full() {
                return false;
            }
            if pauses > if writer::is_at_disk() { PATIENCE_WITH_DISK } else { PATIENCE } {
                control::give_up_waiting();
                return false;
            }
            std::thread::sleep(PAUSE);
            pauses += 1;
            let before = std::mem::replace(&mut consumed, ring.consumed());
            if consumed != before {
                pauses = 0;
            }
        }
    })
}
