//! Memory: USM allocations and the memory of buffers.
//!
//! The same allocation is told twice, by the SYCL interface (with the place in the code) and by the Unified Runtime (with
//! its kind). The inner call makes the event; what the outer says is added. Where there is no inner call, the outer
//! makes it.
//!
//! Memory is free some time before the call that gives it back returns: another thread may have got the same address by
//! then. So a release claims the memory that has the address when it begins, and ends that memory and no other.

use std::collections::HashMap;

use syclscope_trace::event::{
    Allocation, AllocationKind, Category, Event, EventSink, Release, SliceBegin, SourceLocation, Value,
};
use syclscope_trace::time::Timestamp;

use super::threads::{Memo, Open, Place};
use super::{Model, args};
use crate::buffer::Kind;
use crate::record::memory::{MemoryBegin, MemoryEnd};

/// Memory that is live.
#[derive(Default)]
pub(super) struct Memory {
    /// Memory objects and USM, by handle or pointer.
    live: HashMap<u64, Live>,
    /// How many there have been.
    count: u64,
}

/// Memory that was made and not yet given back.
struct Live {
    number: u64,
    references: u32,
    /// The thread whose release is under way.
    releasing: Option<u32>,
}

/// What a release is to give back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// The release was not seen to begin: what has the address when it ends.
    Unknown,
    /// No memory that is known.
    Nothing,
    /// The memory at a pointer, if it still is the one of that number.
    Memory { pointer: u64, number: u64 },
}

impl Memory {
    fn add(&mut self, pointer: u64) {
        self.count += 1;
        self.live.insert(pointer, Live { number: self.count, references: 1, releasing: None });
    }
}

/// Memory that a call made.
pub(super) struct Allocated {
    pub(super) kind: AllocationKind,
    pub(super) pointer: u64,
    pub(super) size_bytes: u64,
    pub(super) device: u64,
}

/// An allocation or release that is under way on a thread.
pub(super) struct OpenMemory {
    pub(super) place: Place,
    pointer: u64,
    size_bytes: u64,
    guard_bytes: u64,
    /// Of a release.
    claim: Claim,
    /// The inner call has made the event.
    is_told: bool,
}

impl Model {
    /// An allocation or release of the SYCL interface begins.
    pub(super) fn memory_begin(
        &mut self,
        kind: Kind,
        at: Timestamp,
        thread: u32,
        record: &MemoryBegin<'_>,
        sink: &mut dyn EventSink,
    ) {
        let tracepoint = &record.tracepoint;
        let track = self.threads.track(thread, sink);
        let place = Place::of(tracepoint);
        let decoded = args::Decoded::of(tracepoint);
        let mut args = decoded.args();
        // The memory of a buffer is told by the Unified Runtime alone. So is that of its mapping to the host, which is none.
        let is_of_buffer = record.object() != 0;
        if is_of_buffer {
            args.push(("memory_object", Value::Pointer(record.object())));
        }
        if tracepoint.metadata.is_empty() {
            let known = |number: u64| (number != 0).then_some(number);
            args.extend(known(record.pointer).map(|pointer| ("memory_ptr", Value::Pointer(pointer))));
            args.extend(known(record.size_bytes()).map(|size| ("memory_size", Value::Uint(size))));
            args.extend(known(record.guard_bytes).map(|size| ("guard_bytes", Value::Uint(size))));
        }
        let (end, fallback) = match kind {
            Kind::AllocateBegin => (Kind::AllocateEnd, "allocate"),
            _ => (Kind::ReleaseEnd, "release"),
        };
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Memory,
            name: if tracepoint.text.is_empty() { fallback } else { &tracepoint.text },
            node: None,
            location: place.location(),
            args: &args,
        }));
        let pointer = record.pointer;
        let claim = match kind {
            Kind::ReleaseBegin if !is_of_buffer => self.claim(thread, pointer),
            _ => Claim::Unknown,
        };
        let memory = OpenMemory {
            place,
            pointer,
            claim,
            size_bytes: record.size_bytes(),
            guard_bytes: record.guard_bytes,
            is_told: is_of_buffer,
        };
        let id = [tracepoint.universal_id, tracepoint.instance];
        self.threads.begin(thread, at, Open { end, id, node: None, memo: Memo::Memory(memory) }, sink);
    }

    /// It ends; only now the pointer of an allocation is known.
    pub(super) fn memory_end(
        &mut self,
        kind: Kind,
        at: Timestamp,
        thread: u32,
        record: MemoryEnd,
        sink: &mut dyn EventSink,
    ) {
        let pointer = record.pointer;
        let mut args = vec![];
        if record.object != 0 {
            args.push(("memory_object", Value::Pointer(record.object)));
        }
        if pointer != 0 && kind == Kind::AllocateEnd {
            args.push(("memory_ptr", Value::Pointer(pointer)));
        }
        let Some(open) = self.threads.end(thread, kind, record.id, at, &args, sink) else { return };
        let Memo::Memory(memory) = open.memo else { return };
        if memory.is_told || record.object != 0 {
            return;
        }
        match kind {
            Kind::AllocateEnd if pointer != 0 => {
                self.made_again(at, pointer, sink);
                if self.memory.live.contains_key(&pointer) {
                    return;
                }
                self.memory.add(pointer);
                sink.event(&Event::Allocation(Allocation {
                    at,
                    pointer,
                    size_bytes: memory.size_bytes.max(record.size_bytes),
                    kind: AllocationKind::Other,
                    guard_bytes: memory.guard_bytes.max(record.guard_bytes),
                    device: "",
                    tid: thread,
                    location: memory.place.location(),
                }));
            }
            Kind::ReleaseEnd => self.released(at, thread, memory.pointer, memory.claim, sink),
            _ => {}
        }
    }

    /// A call made memory.
    pub(super) fn allocated(
        &mut self,
        at: Timestamp,
        thread: u32,
        Allocated { kind, pointer, size_bytes, device }: Allocated,
        sink: &mut dyn EventSink,
    ) {
        if pointer == 0 {
            return;
        }
        self.made_again(at, pointer, sink);
        self.memory.add(pointer);
        let device = self.queues.device_name(device);
        let (location, guard_bytes) = match self.threads.memory(thread) {
            Some(memory) if kind != AllocationKind::Buffer => {
                memory.is_told = true;
                (memory.place.location(), memory.guard_bytes)
            }
            _ => (SourceLocation::default(), 0),
        };
        sink.event(&Event::Allocation(Allocation {
            at,
            pointer,
            size_bytes,
            kind,
            guard_bytes,
            device,
            tid: thread,
            location,
        }));
    }

    /// A call took one more reference to a memory object.
    pub(super) fn retained(&mut self, pointer: u64) {
        if let Some(memory) = self.memory.live.get_mut(&pointer) {
            memory.references += 1;
        }
    }

    /// A call begins that gives memory back.
    pub(super) fn releasing(&mut self, thread: u32, pointer: u64) -> Claim {
        if let Some(memory) = self.threads.memory(thread) {
            memory.is_told = true;
        }
        self.claim(thread, pointer)
    }

    fn claim(&mut self, thread: u32, pointer: u64) -> Claim {
        let Some(memory) = self.memory.live.get_mut(&pointer) else { return Claim::Nothing };
        memory.releasing = Some(thread);
        Claim::Memory { pointer, number: memory.number }
    }

    /// It failed.
    pub(super) fn not_released(&mut self, claim: Claim) {
        if let Claim::Memory { pointer, number } = claim
            && let Some(memory) = self.memory.live.get_mut(&pointer)
            && memory.number == number
        {
            memory.releasing = None;
        }
    }

    /// It has given the memory back, or one of several references to it.
    pub(super) fn released(
        &mut self,
        at: Timestamp,
        thread: u32,
        pointer: u64,
        claim: Claim,
        sink: &mut dyn EventSink,
    ) {
        if let Some(memory) = self.threads.memory(thread) {
            memory.is_told = true;
        }
        let Some(memory) = self.memory.live.get_mut(&pointer) else { return };
        if claim != Claim::Unknown && claim != (Claim::Memory { pointer, number: memory.number }) {
            return;
        }
        memory.references -= 1;
        memory.releasing = None;
        if memory.references == 0 {
            self.memory.live.remove(&pointer);
            sink.event(&Event::Release(Release { at, pointer, tid: thread }));
        }
    }

    /// An address is handed out: memory there whose release is under way has been given back, whatever is still to come of
    /// that call.
    fn made_again(&mut self, at: Timestamp, pointer: u64, sink: &mut dyn EventSink) {
        if let Some(tid) = self.memory.live.get(&pointer).and_then(|memory| memory.releasing) {
            self.memory.live.remove(&pointer);
            sink.event(&Event::Release(Release { at, pointer, tid }));
        }
    }
}
