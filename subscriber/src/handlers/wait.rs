//! The host waits for an event or a queue.

use crate::buffer::Producer;
use crate::record::Kind;
use crate::tracepoints::{UserData, copy, refer};
use crate::xpti::Notification;

/// The user data says what is waited for: `event.wait[handle]`, `queue.wait[handle]`.
pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::WaitBegin, UserData::Text, [0, 0]);
}

pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::WaitEnd, 0);
}
