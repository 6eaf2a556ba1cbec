//! Buffers and images.
//!
//! The runtime identifies an object by an address that it reuses. A sub-buffer has the address of its buffer, and is
//! destroyed with it; accessors don't distinguish them. The runtime doesn't report either whether an announcement at a
//! known address is a new sub-buffer or only another handle: see [`parts`](super::parts).

use rustc_hash::FxHashMap;
use syclscope_language::event::{Event, EventSink, MemoryObject, ObjectKind};
use syclscope_language::time::Timestamp;

use super::parts::Parts;

#[derive(Default)]
pub(super) struct Objects {
    count: u64,
    /// By address: the object and its sub-buffers.
    by_address: FxHashMap<u64, LiveObject>,
    /// By address: the node of the newest host accessor on the object.
    locks: FxHashMap<u64, u64>,
    /// By address: host accessors that no command waits for yet.
    unawaited: FxHashMap<u64, Vec<Lock>>,
    /// By address: the object that was destroyed there, until there is a newer one.
    destroyed: FxHashMap<u64, u64>,
}

#[derive(Default)]
struct LiveObject {
    /// Numbers, the whole buffer first.
    numbers: Vec<u64>,
    parts: Parts,
}

/// The lock of a host accessor on its object.
#[derive(Clone, Copy)]
struct Lock {
    node: u64,
    is_for_reading: bool,
}

const MAX_UNAWAITED: usize = 64;
const MAX_DESTROYED: usize = 1 << 16;

impl Objects {
    /// Returns our own number of the object at an address, assigned now if it was not announced.
    pub(super) fn number(
        &mut self,
        address: u64,
        kind: ObjectKind,
        at: Timestamp,
        sink: &mut dyn EventSink,
    ) -> u64 {
        if let Some(object) = self.whole(address) {
            return object;
        }
        let object = self.add(address, 0);
        sink.event(&Event::MemoryObject(MemoryObject {
            object,
            at,
            kind,
            address,
            ..MemoryObject::default()
        }));
        object
    }

    /// Returns the object at an address, not a part of an object.
    pub(super) fn whole(&self, address: u64) -> Option<u64> {
        self.by_address.get(&address)?.numbers.first().copied()
    }

    /// Removes the objects at an address; returns them, the newest first.
    pub(super) fn remove(&mut self, address: u64) -> Vec<u64> {
        self.locks.remove(&address);
        self.unawaited.remove(&address);
        let mut objects = self.by_address.remove(&address).unwrap_or_default().numbers;
        objects.reverse();
        if let Some(whole) = objects.last().filter(|_| self.destroyed.len() < MAX_DESTROYED) {
            self.destroyed.insert(address, *whole);
        }
        objects
    }

    pub(super) fn destroyed(&self, address: u64) -> Option<u64> {
        self.destroyed.get(&address).copied()
    }

    /// Adds an object of `bytes` bytes; 0 if unknown.
    pub(super) fn add(&mut self, address: u64, bytes: u64) -> u64 {
        self.destroyed.remove(&address);
        self.by_address.insert(address, LiveObject { numbers: Vec::new(), parts: Parts::new(bytes) });
        self.add_part(address)
    }

    pub(super) fn add_part(&mut self, address: u64) -> u64 {
        self.count += 1;
        self.by_address.entry(address).or_default().numbers.push(self.count);
        self.count
    }

    pub(super) fn parts(&mut self, address: u64) -> Option<&mut Parts> {
        self.by_address.get_mut(&address).map(|object| &mut object.parts)
    }

    pub(super) fn locked(&mut self, address: u64, node: u64) {
        self.locks.insert(address, node);
        let unawaited = self.unawaited.entry(address).or_default();
        if unawaited.len() == MAX_UNAWAITED {
            unawaited.remove(0);
        }
        unawaited.push(Lock { node, is_for_reading: false });
    }

    /// Returns the host accessors that must be destroyed before a command may use an object. The next command waits for
    /// this command instead.
    pub(super) fn awaited(&mut self, address: u64, node: u64, is_for_reading: bool) -> Vec<u64> {
        let Some(unawaited) = self.unawaited.get_mut(&address) else { return Vec::new() };
        let mut awaited = Vec::new();
        unawaited.retain_mut(|lock| {
            if lock.node == node {
                lock.is_for_reading = is_for_reading;
                return true;
            }
            // The command doesn't wait for a lock that is newer than itself.
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

    pub(super) fn lock(&self, address: u64) -> Option<u64> {
        self.locks.get(&address).copied()
    }
}
