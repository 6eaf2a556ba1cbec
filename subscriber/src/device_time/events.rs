//! References to the events of commands.

use std::sync::atomic::Ordering;

use super::waits;
use crate::flags::FLAGS;
use crate::xpti::UrApi;

/// Retains the event of a command that was just submitted; false if its times can't be read.
#[inline]
pub(crate) fn keep(event: u64, is_ours: bool) -> bool {
    let Some(api) = UrApi::of_event(event) else {
        if is_reachable() {
            FLAGS.is_unreachable.store(true, Ordering::Relaxed);
        }
        return false;
    };
    if !is_ours && !api.retain(event) {
        return false;
    }
    let is_retained = api.hold(event);
    if is_retained {
        waits::request();
    } else {
        api.release(event);
    }
    is_retained
}

/// Releases an event retained by [`keep`].
#[cold]
pub(crate) fn give_back(event: u64) {
    if let Some(api) = UrApi::of_event(event) {
        api.give_back(event);
    }
}

#[inline]
pub(crate) fn is_reachable() -> bool {
    !FLAGS.is_unreachable.load(Ordering::Relaxed)
}
