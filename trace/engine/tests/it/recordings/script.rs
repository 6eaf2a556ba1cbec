//! A recording written step by step: commands of one in-order queue with the calls that submit them, memory, buffers.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Accessor, Allocation, AllocationKind, Category, Edge, EdgeReason, Event, EventSink as _, Execution,
    MemoryObject, Node, NodeKind, ObjectBinding, ObjectDestroy, ObjectKind, Process, Queue, QueueOrder,
    Release, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use super::PROCESS;

type Args<'a> = &'a [(&'a str, Value<'a>)];

/// Writer of a recording; each step has a line of the source.
pub(crate) struct Script {
    builder: TraceBuilder,
    nodes: u64,
    objects: u64,
}

pub(crate) fn line(line: u32) -> SourceLocation<'static> {
    SourceLocation { function: "main", file: "/src/memory.cpp", line, column: 0 }
}

impl Script {
    /// Starts a recording with a device of a type (`GPU`, `CPU`).
    pub(crate) fn new(device_type: &str) -> Self {
        Self::of_process(PROCESS, device_type)
    }

    pub(crate) fn of_process(process: Process<'_>, device_type: &str) -> Self {
        let mut script = Self { builder: TraceBuilder::new(), nodes: 0, objects: 0 };
        script.event(&Event::Process(process));
        let track = |track, parent, kind, name, tid| Track { track, parent, kind, name, tid };
        script.event(&Event::Track(track(1, None, TrackKind::Process, "stencil", 0)));
        script.event(&Event::Track(track(2, Some(1), TrackKind::Thread, "main thread", 4711)));
        script.event(&Event::Queue(Queue {
            queue: 1,
            at: Timestamp(1),
            runtime_id: 0,
            handle: 0x1000,
            order: QueueOrder::InOrder,
            device: "a device",
            device_type,
            device_handle: 0x2000,
            context: 0x3000,
        }));
        script
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        self.builder.event(event);
    }

    /// Returns the trace, ended in an orderly way.
    pub(crate) fn finish(mut self, at: u64) -> Trace {
        self.event(&Event::Finish { at: Timestamp(at) });
        self.builder.build()
    }

    /// Returns the trace of a part of a run that goes on.
    pub(crate) fn end_part(mut self, at: u64) -> Trace {
        self.event(&Event::PartEnd { at: Timestamp(at) });
        self.builder.build()
    }

    fn slice(
        &mut self,
        (at, end): (u64, u64),
        category: Category,
        name: &str,
        node: Option<u64>,
        place: u32,
        args: Args<'_>,
    ) {
        let location = if place == 0 { SourceLocation::default() } else { line(place) };
        let begin = SliceBegin { track: 2, at: Timestamp(at), category, name, node, location, args };
        self.event(&Event::SliceBegin(begin));
        self.event(&Event::SliceEnd(SliceEnd { track: 2, at: Timestamp(end), args: &[] }));
    }

    /// Allocates USM, or the memory of a buffer.
    pub(crate) fn allocate(
        &mut self,
        at: u64,
        pointer: u64,
        size_bytes: u64,
        kind: AllocationKind,
        place: u32,
    ) {
        self.event(&Event::Allocation(Allocation {
            at: Timestamp(at),
            pointer,
            size_bytes,
            kind,
            guard_bytes: 0,
            device: if kind == AllocationKind::Host { "" } else { "a device" },
            tid: 4711,
            location: if place == 0 { SourceLocation::default() } else { line(place) },
        }));
    }

    /// Adds a call of `sycl::free` that takes one nanosecond.
    pub(crate) fn free(&mut self, at: u64, pointer: u64, place: u32, error: Option<Value<'_>>) {
        let outer = SliceBegin {
            track: 2,
            at: Timestamp(at),
            category: Category::Memory,
            name: "usm::free",
            node: None,
            location: line(place),
            args: &[("memory_ptr", Value::Pointer(pointer))],
        };
        self.event(&Event::SliceBegin(outer));
        let result = error.map(|error| ("result", error));
        let args: Vec<_> = [("pMem", Value::Pointer(pointer))].into_iter().chain(result).collect();
        self.slice((at, at + 1), Category::Call, "urUSMFree", None, 0, &args);
        if error.is_none() {
            self.event(&Event::Release(Release { at: Timestamp(at + 1), pointer, tid: 4711 }));
        }
        self.event(&Event::SliceEnd(SliceEnd { track: 2, at: Timestamp(at + 1), args: &[] }));
    }

    /// Adds a release without a call.
    pub(crate) fn release(&mut self, at: u64, pointer: u64) {
        self.event(&Event::Release(Release { at: Timestamp(at), pointer, tid: 4711 }));
    }

    /// Adds a command that is submitted and starts at `at` and runs until `end`, and the call that submits it. Returns
    /// the command's number.
    pub(crate) fn command(
        &mut self,
        (at, end): (u64, u64),
        kind: NodeKind,
        name: &str,
        place: u32,
        (call, args): (&str, Args<'_>),
    ) -> u64 {
        self.nodes += 1;
        let node = self.nodes;
        let location = if place == 0 { SourceLocation::default() } else { line(place) };
        let start = Timestamp(at);
        let made = Node { node, at: start, kind, name, queue: Some(1), tid: 4711, location, args: &[] };
        self.event(&Event::Node(made));
        if !call.is_empty() {
            self.slice((at, at), Category::Call, call, Some(node), 0, args);
        }
        if end > at {
            self.event(&Event::Execution(Execution {
                node,
                queue: 1,
                kind,
                name,
                queued: None,
                submitted: None,
                start,
                end: Timestamp(end),
                args: &[],
            }));
        }
        node
    }

    pub(crate) fn copy(&mut self, times: (u64, u64), to: u64, from: u64, size: u64, place: u32) -> u64 {
        let args =
            [("pDst", Value::Pointer(to)), ("pSrc", Value::Pointer(from)), ("size", Value::Uint(size))];
        self.command(times, NodeKind::Copy, "memcpy", place, ("urEnqueueUSMMemcpy", &args))
    }

    pub(crate) fn fill(&mut self, times: (u64, u64), to: u64, size: u64, place: u32) -> u64 {
        let args =
            [("pMem", Value::Pointer(to)), ("patternSize", Value::Uint(1)), ("size", Value::Uint(size))];
        self.command(times, NodeKind::Fill, "memset", place, ("urEnqueueUSMFill", &args))
    }

    /// Adds a kernel, with the addresses in its arguments if these are recorded; returns its number.
    pub(crate) fn kernel(&mut self, times: (u64, u64), name: &str, place: u32, given: Option<&[u64]>) -> u64 {
        let mut args: Vec<(String, Value<'_>)> = Vec::new();
        for (number, pointer) in given.unwrap_or_default().iter().enumerate() {
            args.push((format!("pArgs[{number}].type"), Value::Str("UR_EXP_KERNEL_ARG_TYPE_POINTER")));
            args.push((format!("pArgs[{number}].value"), Value::Pointer(*pointer)));
        }
        let args: Vec<_> = args.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        self.command(times, NodeKind::Kernel, name, place, ("urEnqueueKernelLaunch", &args))
    }

    /// Adds a buffer of `int`; returns its number.
    pub(crate) fn buffer(
        &mut self,
        at: u64,
        address: u64,
        host_pointer: u64,
        elements: u64,
        place: u32,
    ) -> u64 {
        self.objects += 1;
        self.event(&Event::MemoryObject(MemoryObject {
            object: self.objects,
            at: Timestamp(at),
            kind: ObjectKind::Buffer,
            address,
            host_pointer,
            element_type: "i",
            element_size_bytes: 4,
            dimensions: 1,
            range_0: elements,
            range_1: 0,
            range_2: 0,
            tid: 4711,
            location: line(place),
            args: &[],
        }));
        self.objects
    }

    /// Gives a buffer memory, by a call that ends at `at`.
    pub(crate) fn bind(&mut self, at: u64, object: u64, handle: u64, size_bytes: u64) {
        let args = [("flags", Value::Str("UR_MEM_FLAG_READ_WRITE")), ("size", Value::Uint(size_bytes))];
        self.slice((at - 1, at), Category::Call, "urMemBufferCreate", None, 0, &args);
        self.allocate(at, handle, size_bytes, AllocationKind::Buffer, 0);
        self.event(&Event::ObjectBinding(ObjectBinding {
            object,
            at: Timestamp(at),
            handle,
            is_bound: true,
        }));
    }

    pub(crate) fn destroy(&mut self, at: u64, object: u64, handle: u64) {
        self.release(at, handle);
        self.event(&Event::ObjectBinding(ObjectBinding {
            object,
            at: Timestamp(at),
            handle,
            is_bound: false,
        }));
        self.event(&Event::ObjectDestroy(ObjectDestroy { object, at: Timestamp(at) }));
    }

    pub(crate) fn accessor(
        &mut self,
        at: u64,
        object: u64,
        node: impl Into<Option<u64>>,
        target: &str,
        mode: &str,
        place: u32,
    ) {
        self.event(&Event::Accessor(Accessor {
            object,
            at: Timestamp(at),
            address: 0x7fff_0000,
            target,
            mode,
            node: node.into(),
            tid: 4711,
            location: line(place),
            args: &[],
        }));
    }

    /// Adds a copy by the runtime from a buffer to the host's memory, or back; returns the command's number.
    pub(crate) fn move_buffer(
        &mut self,
        times: (u64, u64),
        handle: u64,
        host: u64,
        size: u64,
        is_in: bool,
    ) -> u64 {
        let (call, pointer) =
            if is_in { ("urEnqueueMemBufferWrite", "pSrc") } else { ("urEnqueueMemBufferRead", "pDst") };
        let args = [
            ("hBuffer", Value::Pointer(handle)),
            ("offset", Value::Uint(0)),
            ("size", Value::Uint(size)),
            (pointer, Value::Pointer(host)),
        ];
        self.command(times, NodeKind::Copy, "Memory Transfer (Copy)", 0, (call, &args))
    }

    pub(crate) fn edge(&mut self, at: u64, source: u64, target: u64, buffer: u64, mode: &str) {
        self.event(&Event::Edge(Edge {
            at: Timestamp(at),
            source,
            target,
            reason: EdgeReason::Accessor,
            access_mode: mode,
            memory_object: buffer,
        }));
    }
}
