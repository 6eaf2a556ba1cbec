//! Rules for accessors.

use syclscope_language::event::{EventSink, ObjectKind};
use syclscope_language::time::Timestamp;

use crate::model::Model;
use crate::model::accessors::Pending;
use crate::model::owned_location::OwnedLocation;
use crate::model::words::{HOST_BUFFER, HOST_IMAGE, access_mode, access_target, image_target};
use crate::record::objects::AccessorRecord;

impl Model {
    pub(super) fn accessor(
        &mut self,
        at: Timestamp,
        thread: u32,
        record: &AccessorRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let [object_address, address] = record.tracepoint.numbers;
        let kind = if record.is_of_image { ObjectKind::Other } else { ObjectKind::Buffer };
        let target = match record.is_of_image {
            true => image_target(record.target),
            false => record.target.map_or("", access_target),
        };
        let accessor = Pending {
            at,
            object: self.objects.number(object_address, kind, at, sink),
            object_address,
            address,
            target,
            mode: record.mode.map_or("", access_mode),
            tid: thread,
            place: self.python.place(OwnedLocation::new(&record.tracepoint)),
            element_type: record.element_type.clone().into_owned(),
            element_size: record.element_size,
            command: None,
        };
        // A host accessor is announced only once it has its lock.
        if target == HOST_BUFFER || target == HOST_IMAGE {
            return accessor.emit(self.objects.lock(object_address), sink);
        }
        self.accessors.wait(thread, accessor, sink);
    }
}
