//! Rules for allocations and releases, as the SYCL interface and the calls below it report them.

use syclscope_language::event::{
    Allocation, AllocationKind, Category, Event, EventSink, Release, SliceBegin, SourceLocation, Value,
};
use syclscope_language::time::Timestamp;

use crate::buffer::Kind;
use crate::model::memory::{Allocated, Claim};
use crate::model::open::{Memo, Open, OpenMemory};
use crate::model::owned_location::OwnedLocation;
use crate::model::{Model, args};
use crate::record::memory::{MemoryBegin, MemoryEnd};

impl Model {
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
        let place = self.python.place(OwnedLocation::new(tracepoint));
        let decoded = args::Decoded::new(tracepoint);
        let mut args = decoded.args();
        // For a buffer the call of the Unified Runtime creates the event: this stream also reports its mapping to the
        // host, which allocates nothing.
        let is_of_buffer = record.object() != 0;
        if is_of_buffer {
            args.push(("memory_object", Value::Pointer(record.object())));
        }
        if tracepoint.metadata.is_empty() {
            let nonzero = |number: u64| (number != 0).then_some(number);
            args.extend(nonzero(record.pointer).map(|pointer| ("memory_ptr", Value::Pointer(pointer))));
            args.extend(nonzero(record.size_bytes()).map(|size| ("memory_size", Value::Uint(size))));
            args.extend(nonzero(record.guard_bytes).map(|size| ("guard_bytes", Value::Uint(size))));
        }
        args.extend(self.stacks.arg());
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
            Kind::ReleaseBegin if !is_of_buffer => self.memory.claim(thread, pointer),
            _ => Claim::Unknown,
        };
        let memory = OpenMemory {
            place,
            pointer,
            claim,
            size_bytes: record.size_bytes(),
            guard_bytes: record.guard_bytes,
            has_event: is_of_buffer,
        };
        let id = [tracepoint.universal_id, tracepoint.instance];
        self.threads.begin(thread, at, Open { end, id, node: None, memo: Memo::Memory(memory) }, sink);
    }

    /// Ends an allocation or release. The pointer of an allocation is known only at its end.
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
        let ended = self.threads.end(thread, kind, record.id, at, &args, sink);
        let Some(open) = ended.or_else(|| self.threads.take_cut(thread, kind, record.id)) else { return };
        let Memo::Memory(memory) = open.memo else { return };
        if memory.has_event || record.object != 0 {
            return;
        }
        match kind {
            Kind::AllocateEnd if pointer != 0 => {
                if self.memory.is_live(pointer) {
                    return;
                }
                self.handed_out(at, pointer, sink);
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
        self.handed_out(at, pointer, sink);
        let device = self.queues.device_name(device);
        let (location, guard_bytes, reported_bytes) = match self.threads.memory(thread) {
            Some(memory) => {
                memory.has_event = true;
                (memory.place.location(), memory.guard_bytes, memory.size_bytes)
            }
            None => (SourceLocation::default(), 0, 0),
        };
        // A call whose start was dropped has no size. A buffer may be the program's own memory then.
        let is_lost = size_bytes == 0 && kind != AllocationKind::Buffer;
        let size_bytes = if is_lost { reported_bytes } else { size_bytes };
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

    pub(super) fn releasing(&mut self, thread: u32, pointer: u64) -> Claim {
        if let Some(memory) = self.threads.memory(thread) {
            memory.has_event = true;
        }
        self.memory.claim(thread, pointer)
    }

    /// Drops one reference to memory, and records its end if that was the last.
    pub(super) fn released(
        &mut self,
        at: Timestamp,
        thread: u32,
        pointer: u64,
        claim: Claim,
        sink: &mut dyn EventSink,
    ) {
        if let Some(memory) = self.threads.memory(thread) {
            memory.has_event = true;
        }
        if self.memory.released(pointer, claim) {
            sink.event(&Event::Release(Release { at, pointer, tid: thread }));
        }
    }

    /// Ends the earlier memory at an address that is allocated again: its release has taken effect, though the call
    /// hasn't returned.
    fn handed_out(&mut self, at: Timestamp, pointer: u64, sink: &mut dyn EventSink) {
        if let Some(tid) = self.memory.add(pointer) {
            sink.event(&Event::Release(Release { at, pointer, tid }));
        }
    }
}
