//! Allocations and releases, as the SYCL interface sees them.
//!
//! According to the documentation the user data is a structure; this holds for the memory of buffers. For USM, runtimes
//! pass the name of the function instead, with pointer and size as metadata (the pointer only at an allocation's end).

use super::tracepoints::{UserData, copy_with};
use super::{python, stacks};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::xpti::{Key, Notification};

static MEMORY_PTR: Key = Key::new("memory_ptr");

pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer, kind: Kind) {
    let memory = notification.memory_data();
    let numbers = memory.map_or([0, 0], |memory| [memory.object, memory.size_bytes]);
    let user_data = if memory.is_some() { UserData::Other } else { UserData::Text };
    python::on_line(producer, kind);
    stacks::on_record(producer, kind);
    copy_with(notification, producer, (kind, 0), user_data, numbers, |entry| {
        entry.word(memory.map_or(0, |memory| memory.pointer));
        entry.word(memory.map_or(0, |memory| memory.guard_bytes));
    });
}

pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer, kind: Kind) {
    let memory = notification.memory_data();
    let pointer = match memory {
        Some(memory) if memory.pointer != 0 => Some(memory.pointer),
        _ => notification.metadata_number(&MEMORY_PTR),
    };
    producer.write(kind, 0, |entry| {
        entry.word(notification.universal_id());
        entry.word(notification.instance);
        entry.word(pointer.unwrap_or(0));
        entry.word(memory.map_or(0, |memory| memory.object));
        entry.word(memory.map_or(0, |memory| memory.size_bytes));
        entry.word(memory.map_or(0, |memory| memory.guard_bytes));
    });
}
