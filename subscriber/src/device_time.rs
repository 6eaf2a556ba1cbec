//! When commands really ran on their device.
//!
//! On the program's threads a reference to each command's event is taken, nothing more. The writer's thread asks the
//! events now and then whether they are done, in the order of their queue, reads their times and gives them back. An event
//! that isn't done is never waited for; a time that can't be had is counted, never guessed.

mod clock;
pub(crate) mod devices;
mod fit;
mod outstanding;

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use outstanding::{Asked, Kept, Launch, Outstanding, Reading, size_text};

use crate::recorder::Recorder;
use crate::xpti::{UrApi, sys};

static IS_EXITING: AtomicBool = AtomicBool::new(false);
static IS_UNREACHABLE: AtomicBool = AtomicBool::new(false);

/// Takes a reference to the event of a command that was just submitted; false if its times can't be read.
#[inline]
pub(crate) fn keep(event: u64, is_ours: bool) -> bool {
    let Some(api) = UrApi::of_event(event) else {
        IS_UNREACHABLE.store(true, Ordering::Relaxed);
        return false;
    };
    stop_reading_at_exit();
    is_ours || api.retain(event)
}

/// Gives back what [`keep`] took.
#[cold]
pub(crate) fn give_back(event: u64) {
    if let Some(api) = UrApi::of_event(event) {
        api.release(event);
    }
}

/// Whether it makes sense to ask for events: there is no use in one that can't be read, nor a way to give it back.
#[inline]
pub(crate) fn is_reachable() -> bool {
    !IS_UNREACHABLE.load(Ordering::Relaxed)
}

/// The first event is there, and with it the runtime's own exit handlers: ours is registered now, so that it is called
/// before them.
#[inline]
fn stop_reading_at_exit() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| sys::at_exit(exit_begins));
}

extern "C" fn exit_begins() {
    IS_EXITING.store(true, Ordering::Relaxed);
    let _ = std::panic::catch_unwind(|| {
        if let Some(recorder) = Recorder::if_started() {
            recorder.exit_begins();
        }
    });
}

/// The runtime is about to let an adapter go. At exit this is the last moment for events that were still running when
/// the exit began.
#[cold]
pub(crate) fn runtime_ends() {
    if IS_EXITING.load(Ordering::Relaxed)
        && let Some(recorder) = Recorder::if_started()
    {
        recorder.exit_begins();
    }
}
