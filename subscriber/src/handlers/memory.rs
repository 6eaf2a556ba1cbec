//! Allocations and releases, as the SYCL interface sees them.
//!
//! For USM the user data is the name of the function, and pointer and size are metadata (the pointer only at an
//! allocation's end). For the memory of buffers there is no event, and the user data is a structure.

use crate::buffer::Producer;
use crate::record::Kind;
use crate::tracepoints::{UserData, copy, refer};
use crate::xpti::Notification;

pub(super) fn on_allocate_begin(notification: &Notification<'_>, producer: &Producer) {
    begin(notification, producer, Kind::AllocateBegin);
}

pub(super) fn on_allocate_end(notification: &Notification<'_>, producer: &Producer) {
    end(notification, producer, Kind::AllocateEnd);
}

pub(super) fn on_release_begin(notification: &Notification<'_>, producer: &Producer) {
    begin(notification, producer, Kind::ReleaseBegin);
}

pub(super) fn on_release_end(notification: &Notification<'_>, producer: &Producer) {
    end(notification, producer, Kind::ReleaseEnd);
}

fn begin(notification: &Notification<'_>, producer: &Producer, kind: Kind) {
    match notification.memory_object() {
        Some(memory) => {
            copy(notification, producer, kind, UserData::Other, [memory.object, memory.size_bytes]);
        }
        None => copy(notification, producer, kind, UserData::Text, [0, 0]),
    }
}

fn end(notification: &Notification<'_>, producer: &Producer, kind: Kind) {
    let pointer = match notification.memory_object() {
        Some(memory) => Some(memory.pointer),
        None => notification.metadata_number(b"memory_ptr"),
    };
    refer(notification, producer, kind, pointer.unwrap_or(0));
}
