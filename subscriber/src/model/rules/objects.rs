//! Rules for buffers and images: creation, memory, destruction.

use syclscope_language::event::{
    Event, EventSink, MemoryObject, ObjectBinding, ObjectDestroy, ObjectKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::model::owned_location::OwnedLocation;
use crate::model::parts::{Handle, bytes};
use crate::model::words::{image_addressing, image_coordinates, image_filtering, image_format};
use crate::model::{Model, args};
use crate::record::Tracepoint;
use crate::record::objects::ObjectRecord;

impl Model {
    pub(super) fn object_create(
        &mut self,
        at: Timestamp,
        tid: u32,
        record: &ObjectRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let [address, host_pointer] = record.tracepoint.numbers;
        // Equal addresses mark another handle of an existing object, not the host's memory.
        let is_handle = host_pointer == address;
        if is_handle && self.objects.whole(address).is_some() {
            let handle = Handle {
                at,
                tid,
                element_type: record.element_type.as_ref().into(),
                element_size: record.element_size,
                dimensions: record.dimensions,
                range: record.range,
                place: self.python.place(OwnedLocation::new(&record.tracepoint)),
            };
            if let Some(part) = self.objects.parts(address).and_then(|parts| parts.announced(handle)) {
                self.sub_buffer(address, &part, sink);
            }
            return;
        }
        // The destruction of the address's earlier owner was lost.
        self.object_destroy(at, address, sink);
        let object = self.objects.add(address, bytes(record.element_size, record.dimensions, record.range));
        let kind = match record.format {
            None => ObjectKind::Buffer,
            Some(_) if record.sampler.iter().any(Option::is_some) => ObjectKind::SampledImage,
            Some(_) => ObjectKind::UnsampledImage,
        };
        let place = self.python.place(OwnedLocation::new(&record.tracepoint));
        let decoded = args::Decoded::new(&record.tracepoint);
        let mut args = decoded.args();
        let [addressing, coordinates, filtering] = record.sampler;
        let described = [
            ("format", record.format.map(image_format)),
            ("addressing", addressing.map(image_addressing)),
            ("coordinates", coordinates.map(image_coordinates)),
            ("filtering", filtering.map(image_filtering)),
        ];
        args.extend(described.iter().filter_map(|(key, word)| Some((*key, word.as_ref()?.value()))));
        let range = record.range;
        sink.event(&Event::MemoryObject(MemoryObject {
            object,
            at,
            kind,
            address,
            host_pointer: if is_handle { 0 } else { host_pointer },
            element_type: &record.element_type,
            element_size_bytes: record.element_size.into(),
            dimensions: record.dimensions,
            range_0: range[0],
            range_1: range[1],
            range_2: range[2],
            tid,
            location: place.location(),
            args: &args,
        }));
    }

    /// Adds a sub-buffer that the runtime created for a command: proof that one of the handles denotes a part.
    pub(super) fn add_sub_buffer(&mut self, tracepoint: &Tracepoint<'_>, sink: &mut dyn EventSink) {
        let number = |key| tracepoint.number(key);
        let (Some(address), Some(offset)) = (number("memory_object"), number("offset")) else { return };
        let size = |key| number(key).unwrap_or(0).max(1);
        let elements = size("access_range_start").saturating_mul(size("access_range_end"));
        if let Some(part) = self.objects.parts(address).and_then(|parts| parts.add(offset, elements)) {
            self.sub_buffer(address, &part, sink);
        }
    }

    fn sub_buffer(&mut self, address: u64, part: &Handle, sink: &mut dyn EventSink) {
        let Some(whole) = self.objects.whole(address) else { return };
        let [range_0, range_1, range_2] = part.range;
        sink.event(&Event::MemoryObject(MemoryObject {
            object: self.objects.add_part(address),
            at: part.at,
            kind: ObjectKind::Buffer,
            address,
            host_pointer: 0,
            element_type: &part.element_type,
            element_size_bytes: part.element_size.into(),
            dimensions: part.dimensions,
            range_0,
            range_1,
            range_2,
            tid: part.tid,
            location: part.place.location(),
            args: &[("sub_buffer_of", Value::Uint(whole))],
        }));
    }

    /// Records the destruction of a buffer or image; of a buffer with its sub-buffers.
    pub(super) fn object_destroy(&mut self, at: Timestamp, address: u64, sink: &mut dyn EventSink) {
        for object in self.objects.remove(address) {
            sink.event(&Event::ObjectDestroy(ObjectDestroy { object, at }));
        }
    }

    pub(super) fn object_binding(
        &mut self,
        at: Timestamp,
        address: u64,
        handle: u64,
        is_bound: bool,
        sink: &mut dyn EventSink,
    ) {
        // An image loses its memory after its destruction.
        let destroyed = self.objects.destroyed(address).filter(|_| !is_bound);
        let object = destroyed.unwrap_or_else(|| self.objects.number(address, ObjectKind::Other, at, sink));
        sink.event(&Event::ObjectBinding(ObjectBinding { object, at, handle, is_bound }));
    }
}
