//! Buffers and images are created, get memory, lose it and are destroyed.

use syclscope_language::event::{
    Event, EventSink, MemoryObject, ObjectBinding, ObjectDestroy, ObjectKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::model::location::location;
use crate::model::words::{image_addressing, image_coordinates, image_filtering, image_format};
use crate::model::{Model, args};
use crate::record::objects::ObjectRecord;

impl Model {
    /// A buffer or image was created.
    pub(super) fn object_create(
        &mut self,
        at: Timestamp,
        tid: u32,
        record: &ObjectRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let [address, host_pointer] = record.tracepoint.numbers;
        let parent = self.objects.whole(address).filter(|_| host_pointer == address);
        if parent.is_none() {
            // The end of what had the address was lost.
            self.object_destroy(at, address, sink);
        }
        let object = self.objects.add(address);
        let kind = match record.format {
            None => ObjectKind::Buffer,
            Some(_) if record.sampler.iter().any(Option::is_some) => ObjectKind::SampledImage,
            Some(_) => ObjectKind::UnsampledImage,
        };
        let decoded = args::Decoded::of(&record.tracepoint);
        let mut args = decoded.args();
        let [addressing, coordinates, filtering] = record.sampler;
        let described = [
            ("format", record.format.map(image_format)),
            ("addressing", addressing.map(image_addressing)),
            ("coordinates", coordinates.map(image_coordinates)),
            ("filtering", filtering.map(image_filtering)),
        ];
        args.extend(described.iter().filter_map(|(key, word)| Some((*key, word.as_ref()?.value()))));
        args.extend(parent.map(|parent| ("sub_buffer_of", Value::Uint(parent))));
        let range = record.range;
        sink.event(&Event::MemoryObject(MemoryObject {
            object,
            at,
            kind,
            address,
            host_pointer: if parent.is_some() { 0 } else { host_pointer },
            element_type: &record.element_type,
            element_size_bytes: record.element_size.into(),
            dimensions: record.dimensions,
            range_0: range[0],
            range_1: range[1],
            range_2: range[2],
            tid,
            location: location(&record.tracepoint),
            args: &args,
        }));
    }

    /// A buffer or image was destroyed, and with a buffer its sub-buffers.
    pub(super) fn object_destroy(&mut self, at: Timestamp, address: u64, sink: &mut dyn EventSink) {
        for object in self.objects.remove(address) {
            sink.event(&Event::ObjectDestroy(ObjectDestroy { object, at }));
        }
    }

    /// An object got memory, or lost it.
    pub(super) fn object_binding(
        &mut self,
        at: Timestamp,
        address: u64,
        handle: u64,
        is_bound: bool,
        sink: &mut dyn EventSink,
    ) {
        // An image loses its memory after its end.
        let gone = self.objects.gone(address).filter(|_| !is_bound);
        let object = gone.unwrap_or_else(|| self.objects.number(address, ObjectKind::Other, at, sink));
        sink.event(&Event::ObjectBinding(ObjectBinding { object, at, handle, is_bound }));
    }
}
