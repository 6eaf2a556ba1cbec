//! Reports the program's waits, if they bound the end of commands.

use std::sync::atomic::{AtomicU8, Ordering};

static WANTED: AtomicU8 = AtomicU8::new(NO_COMMAND);
/// No event is held.
const NO_COMMAND: u8 = 0;
const YES: u8 = 1;
/// All devices use the host's clock.
const NO: u8 = 2;

#[inline]
pub(crate) fn wants_waits() -> bool {
    WANTED.load(Ordering::Relaxed) == YES
}

#[inline]
pub(super) fn command_is_held() {
    if WANTED.load(Ordering::Relaxed) == NO_COMMAND {
        WANTED.store(YES, Ordering::Relaxed);
    }
}

/// Sets whether waits are reported, depending on the readings of the devices' clocks.
pub(super) fn are_wanted(is_wanted: bool) {
    WANTED.store(if is_wanted { YES } else { NO }, Ordering::Relaxed);
}
