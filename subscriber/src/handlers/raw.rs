//! Notifications that nothing is known of: of a program's own streams, and of types and streams that newer runtimes have.

use crate::buffer::Producer;
use crate::record::Kind;
use crate::tracepoints::{UserData, copy};
use crate::xpti::Notification;

/// What the user data is can't be known: its address is kept.
#[cold]
#[inline(never)]
pub(super) fn on_raw(notification: &Notification<'_>, producer: &Producer) {
    let kind = u64::from(notification.stream.0) << 16 | u64::from(notification.trace_type);
    copy(notification, producer, Kind::Raw, UserData::Other, [kind, notification.parent_id()]);
}
