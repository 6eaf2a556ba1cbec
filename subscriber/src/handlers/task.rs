//! Submissions: the host intervals of submit calls.

use std::cell::Cell;

use super::tracepoints::refer;
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::Notification;

thread_local! {
    /// Number of the thread's open submissions.
    static OPEN: Cell<u32> = const { Cell::new(0) };
}

/// True if the calling thread is submitting a command with a node.
pub(super) fn is_open() -> bool {
    OPEN.get() > 0
}

/// Handles the creation of a node: an exception has ended any submission that is still open on this thread. If the
/// submission does continue, as in a copy that waits for a host task, one line more than needed is recorded.
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

/// Handles the creation of a command's event, whose handle is the user data.
pub(super) fn on_signal(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::Signal, notification.user_address());
}
