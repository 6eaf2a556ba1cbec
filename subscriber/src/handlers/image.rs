//! Images, where they differ from buffers.

use super::python;
use super::raw;
use super::tracepoints::{UserData, copy_with};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::record::objects::{accessor_detail, write_accessor, write_object};
use crate::xpti::Notification;

pub(super) fn on_construct(notification: &Notification<'_>, producer: &Producer) {
    let Some(made) = notification.image_made() else { return raw::on_raw(notification, producer) };
    let numbers = [made.object, made.host];
    let kind = (Kind::ObjectCreate, 0);
    python::on_line(producer, Kind::ObjectCreate);
    copy_with(notification, producer, kind, UserData::Other, numbers, |entry| write_object(entry, &made));
}

pub(super) fn on_accessor(notification: &Notification<'_>, producer: &Producer) {
    let Some(made) = notification.image_accessor_made() else { return raw::on_raw(notification, producer) };
    let kind = (Kind::Accessor, accessor_detail(&made, true));
    python::on_line(producer, Kind::Accessor);
    let numbers = [made.object, made.accessor];
    copy_with(notification, producer, kind, UserData::Other, numbers, |entry| write_accessor(entry, &made));
}
