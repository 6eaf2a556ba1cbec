//! Creation and destruction of queues.

use super::tracepoints::{UserData, copy};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::Notification;

pub(super) fn on_create(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::QueueCreate, UserData::Other, [0, 0]);
}

pub(super) fn on_destroy(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::QueueDestroy, UserData::Other, [0, 0]);
}
