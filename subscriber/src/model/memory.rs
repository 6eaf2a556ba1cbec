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
use crate::record::{Kind, Tracepoint};

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
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let track = self.threads.track(thread, sink);
        let place = Place::of(tracepoint);
        let texts = args::Texts::of(tracepoint);
        let mut args = args::of(tracepoint, &texts);
        let [object, object_size] = tracepoint.numbers;
        // The memory of a buffer has no tracepoint; it is told by the Unified Runtime alone.
        let is_of_buffer = tracepoint.universal_id == 0;
        if is_of_buffer {
            args.push(("memory_object", Value::Pointer(object)));
            args.push(("memory_size", Value::Uint(object_size)));
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
        let pointer = tracepoint.number("memory_ptr").unwrap_or(0);
        let claim = match kind {
            Kind::ReleaseBegin if !is_of_buffer => self.claim(thread, pointer),
            _ => Claim::Unknown,
        };
        let memory = OpenMemory {
            place,
            pointer,
            claim,
            size_bytes: tracepoint.number("memory_size").unwrap_or(object_size),
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
        id: [u64; 2],
        pointer: u64,
        sink: &mut dyn EventSink,
    ) {
        let args = [("memory_ptr", Value::Pointer(pointer))];
        let args: &[_] = if pointer == 0 { &[] } else { &args };
        let Some(open) = self.threads.end(thread, kind, id, at, args, sink) else { return };
        let Memo::Memory(memory) = open.memo else { return };
        if memory.is_told {
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
                    size_bytes: memory.size_bytes,
                    kind: AllocationKind::Other,
                    guard_bytes: 0,
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
        let location = match self.threads.memory(thread) {
            Some(memory) if kind != AllocationKind::Buffer => {
                memory.is_told = true;
                memory.place.location()
            }
            _ => SourceLocation::default(),
        };
        sink.event(&Event::Allocation(Allocation {
            at,
            pointer,
            size_bytes,
            kind,
            guard_bytes: 0,
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
