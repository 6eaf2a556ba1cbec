//! A readable recording with an event of every kind that the small one lacks.

use syclscope_language::event::{
    Accessor, Allocation, AllocationKind, Category, CommandGraph, CounterSample, Device, DeviceClock, Edge,
    EdgeReason, Event, Fact, FactKind, GraphChange, GraphChangeKind, GraphCommand, GraphRun, HandleDirection,
    Instant, MemoryObject, NativeHandle, NativeHandleRelease, Node, NodeKind, ObjectBinding, ObjectDestroy,
    ObjectKind, Ownership, Pause, Queue, QueueOrder, Release, SliceBegin, SliceEnd, SourceFile,
    SourceLocation, SourceState, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use super::{DEVICE, PROCESS, place};

const HANDLE: u64 = 0x7f00_0000_2000;
const BUFFER: u64 = 0xabc0;
const MEMORY: u64 = 0x7f00_3000_0000;
const TID: u32 = 4711;

pub(crate) const SOURCE: &str = "int main() {\n  return 0;\n}\n";

fn slice(take: &mut dyn FnMut(&Event<'_>), begin: SliceBegin<'_>, end: u64, result: &[(&str, Value<'_>)]) {
    take(&Event::SliceBegin(begin));
    take(&Event::SliceEnd(SliceEnd { track: begin.track, at: Timestamp(end), args: result }));
}

/// Records a device with its clock, facts and sources; a buffer with accessors; a command graph of two partitions that
/// runs twice; a native queue that is kept and never released; a pause; a barrier; streams of a thread.
pub(crate) fn whole(take: &mut dyn FnMut(&Event<'_>)) {
    machine(take);
    memory_object(take);
    command_graph(take);
    interoperability(take);
    let at = Timestamp;
    take(&Event::Pause(Pause { at: at(50_000), is_paused: true, reason: "signal" }));
    take(&Event::Pause(Pause { at: at(58_000), is_paused: false, reason: "signal" }));
    take(&Event::Finish { at: at(60_000) });
}

fn machine(take: &mut dyn FnMut(&Event<'_>)) {
    let at = Timestamp;
    take(&Event::Process(PROCESS));
    let track = |track, parent, kind, name, tid| Event::Track(Track { track, parent, kind, name, tid });
    take(&track(1, None, TrackKind::Process, "stencil", 0));
    take(&track(2, Some(1), TrackKind::Thread, "main thread", TID));
    take(&track(3, Some(2), TrackKind::Stream, "Level Zero", 0));
    take(&track(4, Some(1), TrackKind::Counter, "free memory: Intel(R) Xeon(R)", 0));
    take(&Event::Device(Device {
        device: 1,
        at: at(100),
        name: DEVICE,
        handle: HANDLE,
        device_type: "CPU",
        platform: "Intel(R) OpenCL",
        driver: "2026.21.9",
        args: &[
            ("vendor", Value::Str("Intel(R) Corporation")),
            ("max_compute_units", Value::Uint(2)),
            ("global_mem_size", Value::Uint(8 << 30)),
        ],
    }));
    take(&Event::DeviceClock(DeviceClock {
        device_handle: HANDLE,
        at: at(200),
        pairs: 8,
        offset_ns: -1_200,
        drift_ppb: 35,
        residual_ns: 90,
    }));
    for (kind, name, value) in [
        (FactKind::Environment, "ONEAPI_DEVICE_SELECTOR", "opencl:cpu"),
        (FactKind::Version, "libsycl", "9.0.0"),
        (FactKind::Setting, "detail", "normal"),
    ] {
        take(&Event::Fact(Fact { at: at(300), kind, name, value }));
    }
    take(&Event::SourceFile(SourceFile {
        at: at(400),
        name: "/src/stencil.cpp",
        state: SourceState::Whole,
        sha256: "0e97b8c5f39c39d7cf3a2f2bd7d0c29ed9f0d9a2c1a5f9d64c1fca1a5e8a3b21",
        size_bytes: SOURCE.len() as u64,
        text: SOURCE,
    }));
    take(&Event::SourceFile(SourceFile {
        at: at(410),
        name: "/src/generated.hpp",
        state: SourceState::TooLarge,
        size_bytes: 9_000_000,
        ..SourceFile::default()
    }));
    take(&Event::Queue(Queue {
        queue: 1,
        at: at(1_000),
        runtime_id: 0,
        handle: 0x7f00_0000_1000,
        order: QueueOrder::OutOfOrder,
        device: DEVICE,
        device_type: "CPU",
        device_handle: HANDLE,
        context: 0x7f00_0000_3000,
    }));
    take(&Event::Counter(CounterSample { track: 4, at: at(1_500), value: 8e9 }));
}

fn memory_object(take: &mut dyn FnMut(&Event<'_>)) {
    let at = Timestamp;
    take(&Event::MemoryObject(MemoryObject {
        object: 1,
        at: at(2_000),
        kind: ObjectKind::Buffer,
        address: BUFFER,
        host_pointer: 0x7ffc_0000_0010,
        element_type: "f",
        element_size_bytes: 4,
        dimensions: 2,
        range_0: 64,
        range_1: 32,
        range_2: 0,
        tid: TID,
        location: place(12),
        args: &[],
    }));
    for (node, start) in [(1, 3_000), (2, 5_000)] {
        take(&Event::Node(Node {
            node,
            at: at(start),
            kind: NodeKind::Kernel,
            name: "Stencil<float>",
            queue: Some(1),
            tid: TID,
            location: place(20 + node as u32),
            args: &[("enqueue_kernel_data.global_0", Value::Uint(64)), ("arg0", Value::Pointer(BUFFER))],
        }));
        take(&Event::Accessor(Accessor {
            object: 1,
            at: at(start + 10),
            address: 0x7ffc_0000_0100,
            target: "device",
            mode: "read_write",
            node: Some(node),
            tid: TID,
            location: place(18),
            args: &[],
        }));
        let submission = SliceBegin {
            track: 2,
            at: at(start + 100),
            category: Category::Submission,
            name: "Stencil<float>",
            node: Some(node),
            location: place(20 + node as u32),
            args: &[],
        };
        slice(take, submission, start + 900, &[]);
    }
    take(&Event::Allocation(Allocation {
        at: at(3_500),
        pointer: MEMORY,
        size_bytes: 8_192,
        kind: AllocationKind::Buffer,
        guard_bytes: 64,
        device: DEVICE,
        tid: TID,
        location: SourceLocation::default(),
    }));
    take(&Event::ObjectBinding(ObjectBinding { object: 1, at: at(3_510), handle: MEMORY, is_bound: true }));
    take(&Event::Edge(Edge {
        at: at(5_050),
        source: 1,
        target: 2,
        reason: EdgeReason::Accessor,
        access_mode: "read_write",
        memory_object: BUFFER,
    }));
    let barrier = SliceBegin {
        track: 2,
        at: at(6_000),
        category: Category::Barrier,
        name: "barrier",
        node: None,
        location: SourceLocation::default(),
        args: &[("reason", Value::Str("enqueue"))],
    };
    slice(take, barrier, 6_500, &[]);
    take(&Event::Instant(Instant {
        track: 2,
        at: at(6_600),
        category: Category::Diagnostic,
        name: "the kernel can't be launched",
        node: Some(2),
        location: place(22),
        args: &[],
    }));
    take(&Event::Release(Release { at: at(7_000), pointer: MEMORY, tid: TID }));
    take(&Event::ObjectBinding(ObjectBinding { object: 1, at: at(7_010), handle: MEMORY, is_bound: false }));
    take(&Event::ObjectDestroy(ObjectDestroy { object: 1, at: at(7_100) }));
}

fn submitted(take: &mut dyn FnMut(&Event<'_>), node: u64, at: u64) {
    let submission = SliceBegin {
        track: 2,
        at: Timestamp(at),
        category: Category::Submission,
        name: "submit",
        node: Some(node),
        location: place(41),
        args: &[],
    };
    slice(take, submission, at + 5, &[]);
}

fn command_graph(take: &mut dyn FnMut(&Event<'_>)) {
    let at = Timestamp;
    for graph in [1, 2] {
        let start = 10_000 + 1_000 * graph;
        take(&Event::CommandGraph(CommandGraph {
            graph,
            at: at(start),
            group: 1,
            handle: 0x7f00_0000_5000 + graph,
            device_handle: HANDLE,
            is_in_order: false,
            is_updatable: graph == 2,
            tid: TID,
            location: place(40),
            args: &[],
        }));
        for position in [0, 1] {
            let node = 2 * graph + 1 + position;
            take(&Event::Node(Node {
                node,
                at: at(start + 10),
                kind: if position == 0 { NodeKind::Fill } else { NodeKind::Kernel },
                name: if position == 0 { "memory fill" } else { "Step" },
                queue: None,
                tid: TID,
                location: place(41),
                args: &[],
            }));
            submitted(take, node, start + 12 + 10 * position);
            let sync_point = Some(100 + node);
            take(&Event::GraphCommand(GraphCommand {
                graph,
                at: at(start + 20),
                position,
                node,
                sync_point,
            }));
        }
        take(&Event::Edge(Edge {
            at: at(start + 30),
            source: 2 * graph + 1,
            target: 2 * graph + 2,
            reason: EdgeReason::SyncPoint,
            access_mode: "",
            memory_object: 0,
        }));
        let change = GraphChangeKind::Finalized;
        take(&Event::GraphChange(GraphChange { graph, at: at(start + 40), change, args: &[] }));
    }
    let updated = &[("commands", Value::Uint(1))];
    let change = GraphChangeKind::Updated;
    take(&Event::GraphChange(GraphChange { graph: 2, at: at(13_000), change, args: updated }));
    for (run, node) in [(0, 7), (1, 8)] {
        take(&Event::Node(Node {
            node,
            at: at(14_000 + 500 * run),
            kind: NodeKind::CommandGraph,
            name: "command graph",
            queue: Some(1),
            tid: TID,
            location: place(45),
            args: &[],
        }));
        submitted(take, node, 14_020 + 500 * run);
        take(&Event::GraphRun(GraphRun { graph: 1, at: at(14_010 + 500 * run), node }));
    }
    let change = GraphChangeKind::Released;
    take(&Event::GraphChange(GraphChange { graph: 1, at: at(15_000), change, args: &[] }));
}

fn interoperability(take: &mut dyn FnMut(&Event<'_>)) {
    let at = Timestamp;
    let call = SliceBegin {
        track: 2,
        at: at(20_000),
        category: Category::Call,
        name: "urQueueCreateWithNativeHandle",
        node: None,
        location: SourceLocation::default(),
        args: &[("hNativeQueue", Value::Pointer(0x1111_0000))],
    };
    take(&Event::SliceBegin(call));
    // SYCL's own native call within its own call.
    let native = SliceBegin {
        track: 3,
        at: at(20_050),
        category: Category::Native,
        name: "zeCommandQueueGetOrdinal",
        args: &[("hCommandQueue", Value::Pointer(0x1111_0000))],
        ..call
    };
    slice(take, native, 20_060, &[("result", Value::Int(0))]);
    take(&Event::NativeHandle(NativeHandle {
        at: at(20_100),
        object: "queue",
        handle: 0x2222_0000,
        native: 0x1111_0000,
        direction: HandleDirection::Enters,
        ownership: Ownership::Keep,
        tid: TID,
        location: place(50),
    }));
    take(&Event::SliceEnd(SliceEnd { track: 2, at: at(20_200), args: &[] }));
    take(&Event::NativeHandleRelease(NativeHandleRelease {
        at: at(30_000),
        object: "queue",
        handle: 0x2222_0000,
        tid: TID,
    }));
}
