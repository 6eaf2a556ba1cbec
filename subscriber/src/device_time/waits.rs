//! Reports of the program's waits, if these bound the end of commands.

use std::sync::atomic::Ordering;

use crate::flags::FLAGS;

/// No reports: the recorder has retained no command's event yet.
const NO_COMMAND: u8 = 0;
const YES: u8 = 1;
/// No reports: all devices use the host's clock.
const NO: u8 = 2;

#[inline]
pub(crate) fn wants_waits() -> bool {
    FLAGS.reports_waits.load(Ordering::Relaxed) == YES
}

/// Requests reports of waits, because the recorder has retained a command's event.
#[inline]
pub(super) fn request() {
    if FLAGS.reports_waits.load(Ordering::Relaxed) == NO_COMMAND {
        FLAGS.reports_waits.store(YES, Ordering::Relaxed);
    }
}

/// Turns reports of waits on or off, depending on the readings of the devices' clocks.
pub(super) fn set_reported(is_reported: bool) {
    let reported = if is_reported { YES } else { NO };
    // A store would take the cache line of all flags from the program's threads.
    if FLAGS.reports_waits.load(Ordering::Relaxed) != reported {
        FLAGS.reports_waits.store(reported, Ordering::Relaxed);
    }
}
