//! Copies of tracepoints: payload, text and metadata.

use crate::buffer::{Entry, Id, Kind, Producer};
use crate::control;
use crate::record::tag;
use crate::xpti::{Framework, MetadataValue, Notification};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserData {
    Text,
    Other,
}

/// Writes a record with all data of the notification (read by [`crate::record::Tracepoint`]).
pub(crate) fn copy(
    notification: &Notification<'_>,
    producer: &Producer,
    kind: Kind,
    user_data: UserData,
    numbers: [u64; 2],
) {
    copy_with(notification, producer, (kind, 0), user_data, numbers, |_| ());
}

/// Writes a record like [`copy`], with details of the kind in the header and more words after the common ones.
pub(crate) fn copy_with(
    notification: &Notification<'_>,
    producer: &Producer,
    (kind, detail): (Kind, u32),
    user_data: UserData,
    numbers: [u64; 2],
    more: impl FnOnce(&mut Entry<'_>),
) {
    let mut has_defined = false;
    let is_written = producer.write(kind, detail, |entry| {
        let payload = notification.payload();
        entry.word(notification.universal_id());
        entry.word(notification.instance);
        entry.word(numbers[0]);
        entry.word(numbers[1]);
        entry.word(u64::from(payload.column) << 32 | u64::from(payload.line));
        entry.bytes(payload.name);
        entry.bytes(payload.file);
        entry.bytes(if user_data == UserData::Text { notification.user_text() } else { &[] });
        has_defined = copy_metadata(notification, entry);
        more(entry);
    });
    if is_written && has_defined {
        notification.metadata_ids(|key, value| ids(key, value).into_iter().for_each(Id::set_defined));
    }
}

#[inline]
fn ids(key: u32, value: i32) -> [Id; 2] {
    [Id::String(key), Id::Value(value)]
}

/// Copies metadata as ids, which the writer looks up, with the definitions that no earlier record has. Returns true if
/// there were any.
#[inline]
fn copy_metadata(notification: &Notification<'_>, entry: &mut Entry<'_>) -> bool {
    if !control::is_ending() {
        let mut is_new = false;
        entry.ids(|entry| {
            notification.metadata_ids(|key, value| {
                entry.word(u64::from(key) << 32 | u64::from(value as u32));
                is_new |= !ids(key, value).into_iter().all(Id::is_defined);
            });
        });
        if is_new {
            entry.definitions(|entry| {
                let mut count = 0;
                notification.metadata_ids(|key, value| {
                    for id in ids(key, value).into_iter().filter(|id| !id.is_defined()) {
                        entry.word(id.pack());
                        define(entry, id);
                        count += 1;
                    }
                });
                count
            });
        }
        return is_new;
    }
    // Lookups of ids will soon be impossible.
    let place = entry.reserve_word();
    let mut count = 0;
    notification.metadata(|key, value| {
        entry.bytes(key);
        copy_value(entry, value);
        count += 1;
    });
    entry.fill_word(place, count);
    false
}

#[cold]
fn define(entry: &mut Entry<'_>, id: Id) {
    let Some(framework) = Framework::get() else { return entry.bytes(&[]) };
    match id {
        Id::String(key) => entry.bytes(framework.string(key)),
        Id::Value(value) => {
            let place = entry.reserve_word();
            let mut is_known = 0;
            framework.with_value(value, |value| {
                is_known = 1;
                copy_value(entry, value);
            });
            entry.fill_word(place, is_known);
        }
    }
}

/// Writes a record of ids only, for a notification whose tracepoint was copied before.
#[inline]
pub(crate) fn refer(notification: &Notification<'_>, producer: &Producer, kind: Kind, number: u64) {
    producer.write(kind, 0, |entry| {
        entry.word(notification.universal_id());
        entry.word(notification.instance);
        entry.word(number);
    });
}

pub(super) fn copy_value(entry: &mut Entry<'_>, value: MetadataValue<'_>) {
    match value {
        MetadataValue::Text(text) => {
            entry.word(tag::TEXT);
            entry.bytes(text);
        }
        MetadataValue::Signed(value) => {
            entry.word(tag::SIGNED);
            entry.word(value as u64);
        }
        MetadataValue::Unsigned(value) => {
            entry.word(tag::UNSIGNED);
            entry.word(value);
        }
        MetadataValue::Float(value) => {
            entry.word(tag::FLOAT);
            entry.word(value.to_bits());
        }
        MetadataValue::Bool(value) => {
            entry.word(tag::BOOL);
            entry.word(value.into());
        }
        MetadataValue::Binary(bytes) => {
            entry.word(tag::BINARY);
            entry.bytes(bytes);
        }
    }
}
