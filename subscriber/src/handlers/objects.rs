//! Buffers and images: construction, memory, accessors, destruction.

use super::python;
use super::raw;
use super::tracepoints::{UserData, copy_with};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::record::objects::{accessor_detail, write_accessor, write_object};
use crate::xpti::{AccessorMade, Notification, ObjectMade};

pub(super) fn on_buffer(notification: &Notification<'_>, producer: &Producer) {
    on_construct(notification, producer, notification.buffer());
}

pub(super) fn on_image(notification: &Notification<'_>, producer: &Producer) {
    on_construct(notification, producer, notification.image());
}

fn on_construct(notification: &Notification<'_>, producer: &Producer, made: Option<ObjectMade<'_>>) {
    let Some(made) = made else { return raw::on_raw(notification, producer) };
    let numbers = [made.object, made.host];
    let kind = (Kind::ObjectCreate, 0);
    python::on_line(producer, Kind::ObjectCreate);
    copy_with(notification, producer, kind, UserData::Other, numbers, |entry| write_object(entry, &made));
}

pub(super) fn on_destruct(notification: &Notification<'_>, producer: &Producer) {
    let Some(object) = notification.object_destroyed() else { return raw::on_raw(notification, producer) };
    producer.write(Kind::ObjectDestroy, 0, |entry| entry.word(object));
}

pub(super) fn on_buffer_accessor(notification: &Notification<'_>, producer: &Producer) {
    on_accessor(notification, producer, notification.accessor(), false);
}

pub(super) fn on_image_accessor(notification: &Notification<'_>, producer: &Producer) {
    on_accessor(notification, producer, notification.image_accessor(), true);
}

fn on_accessor(
    notification: &Notification<'_>,
    producer: &Producer,
    made: Option<AccessorMade<'_>>,
    is_image: bool,
) {
    let Some(made) = made else { return raw::on_raw(notification, producer) };
    let kind = (Kind::Accessor, accessor_detail(&made, is_image));
    python::on_line(producer, Kind::Accessor);
    let numbers = [made.object, made.accessor];
    copy_with(notification, producer, kind, UserData::Other, numbers, |entry| write_accessor(entry, &made));
}

pub(super) fn on_binding(notification: &Notification<'_>, producer: &Producer, kind: Kind) {
    let Some([object, handle]) = notification.association() else {
        return raw::on_raw(notification, producer);
    };
    producer.write(kind, 0, |entry| {
        entry.word(object);
        entry.word(handle);
    });
}
