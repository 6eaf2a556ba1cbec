//! Queues are created and destroyed.

use crate::buffer::Producer;
use crate::record::Kind;
use crate::tracepoints::{UserData, copy};
use crate::xpti::Notification;

pub(super) fn on_create(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::QueueCreate, UserData::Other, [0, 0]);
}

pub(super) fn on_destroy(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::QueueDestroy, UserData::Other, [0, 0]);
}
