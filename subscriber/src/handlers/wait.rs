//! The host waits: for an event or a queue, or at a barrier of the runtime's own.

use super::tracepoints::{UserData, copy, refer};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::Notification;

/// The user data says what is waited for: `event.wait[handle]`, `queue.wait[handle]`.
pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::WaitBegin, UserData::Text, [0, 0]);
}

pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::WaitEnd, 0);
}

/// The user data says why: `enqueue.barrier[Blocked by host task]`.
pub(super) fn on_barrier_begin(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::BarrierBegin, UserData::Text, [0, 0]);
}

pub(super) fn on_barrier_end(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::BarrierEnd, 0);
}
