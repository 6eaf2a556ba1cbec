//! Messages of the runtime, mostly exceptions.

use super::tracepoints::{UserData, copy};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::Notification;

/// The user data is the message.
pub(super) fn on_diagnostic(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::Diagnostic, UserData::Text, [0, 0]);
}
