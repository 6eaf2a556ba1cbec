//! A small recording, written by the same writers as real ones.

use std::ops::RangeInclusive;

use syclscope_engine::export::{Exporter, chrome_json, perfetto};
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Event, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceFile, SourceLocation, SourceState, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

/// Kernel of the recording; it runs three times for 1, 2 and 3 µs.
pub(crate) const KERNEL: &str = "heat_step";

pub(crate) const SOURCE: &str = "int main() { return \"<b>\"[0]; }\n";

pub(crate) fn as_perfetto() -> Vec<u8> {
    of_process(42)
}

pub(crate) fn of_process(pid: u32) -> Vec<u8> {
    of_kernels(pid, 3)
}

pub(crate) fn of_kernels(pid: u32, kernels: u64) -> Vec<u8> {
    of_nodes(pid, 1..=kernels)
}

/// Returns a part of a recording, for recordings of several files.
pub(crate) fn of_nodes(pid: u32, nodes: RangeInclusive<u64>) -> Vec<u8> {
    written_by(perfetto::Writer::new(), pid, nodes)
}

pub(crate) fn as_json() -> Vec<u8> {
    written_by(chrome_json::Writer::new(), 42, 1..=3)
}

fn written_by(mut writer: impl Exporter, pid: u32, nodes: RangeInclusive<u64>) -> Vec<u8> {
    let location = SourceLocation { function: "main", file: "heat.cpp", line: 12, column: 3 };
    let process =
        Process { pid, name: "heat", start_unix_ns: 1_700_000_000_000_000_000, ..Process::default() };
    writer.event(&Event::Process(process));
    let thread = Track { track: 1, parent: None, kind: TrackKind::Thread, name: "main", tid: 42 };
    writer.event(&Event::Track(thread));
    writer.event(&Event::Queue(Queue {
        queue: 1,
        at: Timestamp(10),
        runtime_id: 1,
        handle: 0x10,
        order: QueueOrder::InOrder,
        device: "Test device",
        device_type: "CPU",
        device_handle: 0x20,
        context: 0x30,
    }));
    writer.event(&Event::Allocation(Allocation {
        at: Timestamp(20),
        pointer: 0x1000,
        size_bytes: 4096,
        kind: AllocationKind::Device,
        guard_bytes: 0,
        device: "Test device",
        tid: 42,
        location,
    }));
    for node in nodes {
        let at = Timestamp(node * 10_000);
        writer.event(&Event::Node(Node {
            node,
            at,
            kind: NodeKind::Kernel,
            name: KERNEL,
            queue: Some(1),
            tid: 42,
            location,
            args: &[],
        }));
        writer.event(&Event::SliceBegin(SliceBegin {
            track: 1,
            at,
            category: Category::Submission,
            name: KERNEL,
            node: Some(node),
            location,
            args: &[],
        }));
        let end = Timestamp(at.0 + 500);
        writer.event(&Event::SliceEnd(SliceEnd { track: 1, at: end, args: &[] }));
        writer.event(&Event::Execution(Execution {
            node,
            queue: 1,
            kind: NodeKind::Kernel,
            name: KERNEL,
            queued: None,
            submitted: None,
            start: Timestamp(at.0 + 1_000),
            end: Timestamp(at.0 + 1_000 + node * 1_000),
            args: &[],
        }));
    }
    let calls = [
        (Category::Call, "urEnqueueKernelLaunch", 41_000, 100, None),
        (Category::Call, "urEnqueueKernelLaunch", 42_000, 200, Some(("result", Value::Int(-5)))),
        (Category::Native, "zeCommandListAppend", 43_000, 50, None),
    ];
    for (category, name, at, duration, result) in calls {
        let (track, node, args) = (1, None, &[][..]);
        let at = Timestamp(at);
        writer.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
        let args: Vec<_> = result.into_iter().collect();
        writer.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at.0 + duration), args: &args }));
    }
    writer.event(&Event::SourceFile(SourceFile {
        at: Timestamp(45_000),
        name: "heat.cpp",
        state: SourceState::Whole,
        sha256: "00",
        size_bytes: SOURCE.len() as u64,
        text: SOURCE,
    }));
    writer.event(&Event::Finish { at: Timestamp(50_000) });
    writer.finish();
    writer.take_bytes()
}
