//! Submissions: the host intervals in which commands are handed to the device.

use super::tracepoints::refer;
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::Notification;

pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::TaskBegin, 0);
}

pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::TaskEnd, 0);
}

/// The command has an event: its handle is the user data.
pub(super) fn on_signal(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::Signal, notification.user_address());
}
