//! Unknown notifications: of a program's own streams, and of types and streams that newer runtimes have.

use super::tracepoints::{UserData, copy_with};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::Notification;
use crate::xpti::trace_type::{FUNCTION_BEGIN, FUNCTION_END};

/// Records a notification whose user data has an unknown type: its address, unless it is a function's.
#[cold]
#[inline(never)]
pub(super) fn on_raw(notification: &Notification<'_>, producer: &Producer) {
    let kind = u64::from(notification.stream.0) << 16 | u64::from(notification.trace_type);
    let is_function = matches!(notification.trace_type, FUNCTION_BEGIN | FUNCTION_END);
    let user_data = if is_function { UserData::Text } else { UserData::Other };
    let numbers = [kind, notification.parent_id()];
    copy_with(notification, producer, (Kind::Raw, 0), user_data, numbers, |entry| {
        entry.word(notification.user_address());
        entry.bytes(notification.function_name());
    });
}
