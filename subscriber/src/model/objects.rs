//! Buffers and images.
//!
//! The runtime knows an object by an address that it uses again. A sub-buffer has the address of the buffer that it is a
//! part of, and goes with it; accessors don't say which of them they are of.

use std::collections::HashMap;

use syclscope_trace::event::{
    Event, EventSink, MemoryObject, ObjectBinding, ObjectDestroy, ObjectKind, Value,
};
use syclscope_trace::time::Timestamp;

use super::words::{image_addressing, image_coordinates, image_filtering, image_format};
use super::{Model, args, location};
use crate::record::objects::ObjectRecord;

/// Objects that are alive.
#[derive(Default)]
pub(super) struct Objects {
    count: u64,
    /// By address: numbers of the object and of its sub-buffers.
    by_address: HashMap<u64, Vec<u64>>,
    /// By address: the node of the newest host accessor on the object.
    locks: HashMap<u64, u64>,
    /// By address: host accessors for which no command waits yet.
    unawaited: HashMap<u64, Vec<Lock>>,
    /// By address: the object that is gone, as long as there is no other.
    gone: HashMap<u64, u64>,
}

/// The lock that a host accessor holds on its object.
#[derive(Clone, Copy)]
struct Lock {
    node: u64,
    is_for_reading: bool,
}

/// So many host accessors of an object wait for a command that waits for them.
const MOST_UNAWAITED: usize = 64;
/// So many objects that are gone are remembered.
const MOST_GONE: usize = 1 << 16;

impl Objects {
    /// Our own number of the object at an address; made up now if it was not announced.
    pub(super) fn number(
        &mut self,
        address: u64,
        kind: ObjectKind,
        at: Timestamp,
        sink: &mut dyn EventSink,
    ) -> u64 {
        if let Some(object) = self.by_address.get(&address).and_then(|objects| objects.first()) {
            return *object;
        }
        let object = self.add(address);
        sink.event(&Event::MemoryObject(MemoryObject {
            object,
            at,
            kind,
            address,
            ..MemoryObject::default()
        }));
        object
    }

    fn add(&mut self, address: u64) -> u64 {
        self.count += 1;
        self.gone.remove(&address);
        self.by_address.entry(address).or_default().push(self.count);
        self.count
    }

    /// A host accessor locks an object.
    pub(super) fn locked(&mut self, address: u64, node: u64) {
        self.locks.insert(address, node);
        let unawaited = self.unawaited.entry(address).or_default();
        if unawaited.len() == MOST_UNAWAITED {
            unawaited.remove(0);
        }
        unawaited.push(Lock { node, is_for_reading: false });
    }

    /// A command uses an object: the host accessors that must be gone before it may. The next command waits for this one.
    pub(super) fn awaited(&mut self, address: u64, node: u64, is_for_reading: bool) -> Vec<u64> {
        let Some(unawaited) = self.unawaited.get_mut(&address) else { return Vec::new() };
        let mut awaited = Vec::new();
        unawaited.retain_mut(|lock| {
            if lock.node == node {
                lock.is_for_reading = is_for_reading;
                return true;
            }
            // A lock that is newer than the command is none that it waits for.
            if lock.node > node || (lock.is_for_reading && is_for_reading) {
                return true;
            }
            awaited.push(lock.node);
            false
        });
        if unawaited.is_empty() {
            self.unawaited.remove(&address);
        }
        awaited
    }

    /// The node of the newest host accessor on an object.
    pub(super) fn lock(&self, address: u64) -> Option<u64> {
        self.locks.get(&address).copied()
    }
}

impl Model {
    /// A buffer or image was made.
    pub(super) fn object_create(
        &mut self,
        at: Timestamp,
        tid: u32,
        record: &ObjectRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let [address, host_pointer] = record.tracepoint.numbers;
        let parent = self.objects.by_address.get(&address).and_then(|objects| objects.first()).copied();
        let parent = parent.filter(|_| host_pointer == address);
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

    /// A buffer or image is gone, and with a buffer what was a part of it.
    pub(super) fn object_destroy(&mut self, at: Timestamp, address: u64, sink: &mut dyn EventSink) {
        self.objects.locks.remove(&address);
        self.objects.unawaited.remove(&address);
        for object in self.objects.by_address.remove(&address).unwrap_or_default().into_iter().rev() {
            sink.event(&Event::ObjectDestroy(ObjectDestroy { object, at }));
            if self.objects.gone.len() < MOST_GONE {
                self.objects.gone.insert(address, object);
            }
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
        let gone = self.objects.gone.get(&address).filter(|_| !is_bound).copied();
        let object = gone.unwrap_or_else(|| self.objects.number(address, ObjectKind::Other, at, sink));
        sink.event(&Event::ObjectBinding(ObjectBinding { object, at, handle, is_bound }));
    }
}
