//! Exit handling of device times: the last moment at which the runtime still answers.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::buffer::with_notifications;
use crate::os;
use crate::recorder;
use crate::vendor;

static IS_EXITING: AtomicBool = AtomicBool::new(false);

/// Registers an exit handler after the first event, when the runtime's own are registered: handlers registered later
/// run earlier.
#[inline]
pub(crate) fn watch() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| os::at_exit(exit_begins));
}

extern "C" fn exit_begins() {
    IS_EXITING.store(true, Ordering::Relaxed);
    recorder::at_end(|recorder| {
        vendor::deliver(true);
        recorder.note_what_is_lacking();
        recorder.exit_begins();
    });
}

/// Reads device times before the runtime releases an adapter. At exit, this is the last chance for events of commands
/// that were still running when the exit started.
#[cold]
pub(crate) fn runtime_ends() {
    if IS_EXITING.load(Ordering::Relaxed) {
        recorder::at_end(|recorder| {
            with_notifications(|| vendor::deliver(true));
            recorder.exit_begins();
        });
    }
}
