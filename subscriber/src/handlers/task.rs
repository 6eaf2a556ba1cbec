//! Submissions: the host intervals in which commands are handed to the device.

use std::cell::Cell;

use super::tracepoints::refer;
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::Notification;

thread_local! {
    /// Submissions of the thread that have begun and not ended.
    static OPEN: Cell<u32> = const { Cell::new(0) };
}

/// True if the calling thread is submitting a command that the runtime has made a node for.
pub(super) fn is_open() -> bool {
    OPEN.get() > 0
}

/// A node was made: what has begun on this thread before it and not ended was given up by an exception. Where it goes on, as
/// in a copy that waits for a host task, a line more is recorded than needed.
pub(super) fn on_node() {
    OPEN.set(0);
}

pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer) {
    OPEN.set(OPEN.get() + 1);
    refer(notification, producer, Kind::TaskBegin, 0);
}

pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer) {
    OPEN.set(OPEN.get().saturating_sub(1));
    refer(notification, producer, Kind::TaskEnd, 0);
}

/// The command has an event: its handle is the user data.
pub(super) fn on_signal(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::Signal, notification.user_address());
}
