//! A realistic recording as a file, shared by the benchmarks of the importers, native and wasm.

use syclscope_engine::export::Exporter;
use syclscope_language::event::{
    Category, Edge, EdgeReason, Event, Execution, Node, NodeKind, Process, Queue, QueueOrder, SliceBegin,
    SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

/// Number of slices of a command: its submission, three calls and its execution.
pub(crate) const SLICES_OF_COMMAND: u64 = 5;

pub(crate) fn write<W: Exporter + Default>(commands: u64) -> Vec<u8> {
    let mut writer = W::default();
    let mut bytes = Vec::new();
    record(commands, &mut |event| {
        writer.event(event);
        if writer.buffered_bytes() > 1 << 16 {
            writer.drain_into(&mut bytes);
        }
    });
    writer.finish();
    writer.drain_into(&mut bytes);
    bytes
}

/// Records two threads that submit kernels and copies to four queues, with three calls each.
fn record(commands: u64, take: &mut dyn FnMut(&Event<'_>)) {
    let process = Process { pid: 1, name: "bench", recorder: "bench", ..Process::default() };
    take(&Event::Process(process));
    let group = Track { track: 1, parent: None, kind: TrackKind::Process, name: "bench", tid: 0 };
    take(&Event::Track(group));
    for thread in [2, 3] {
        let kind = TrackKind::Thread;
        take(&Event::Track(Track {
            track: thread,
            parent: Some(1),
            kind,
            name: "thread",
            tid: thread as u32,
        }));
    }
    for queue in 1..=4 {
        take(&Event::Queue(Queue {
            queue,
            at: Timestamp(queue),
            runtime_id: queue,
            handle: 0x7f00_0000_0000 + queue,
            order: if queue % 2 == 0 { QueueOrder::InOrder } else { QueueOrder::OutOfOrder },
            device: "a device",
            device_type: "GPU",
            device_handle: 1,
            context: 2,
        }));
    }
    let names: Vec<String> =
        (0..40).map(|kernel| format!("void Kernel{kernel}<float, (int)3>::run()")).collect();
    let mut random = 7_u64;
    for number in 1..=commands {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let name = &names[(random >> 33) as usize % names.len()];
        let at = number * 10_000 + (random >> 52);
        command(number, name, at, random, take);
    }
    take(&Event::Finish { at: Timestamp(commands * 10_000 + 100_000) });
}

fn command(number: u64, name: &str, at: u64, random: u64, take: &mut dyn FnMut(&Event<'_>)) {
    let track = 2 + number % 2;
    let queue = 1 + number % 4;
    let kind = if number.is_multiple_of(5) { NodeKind::Copy } else { NodeKind::Kernel };
    let line = (random >> 40) as u32 % 200;
    let location =
        SourceLocation { function: "step", file: "/home/user/solver/src/step.cpp", line, column: 5 };
    let args = [("sycl_device", Value::Str("a device")), ("from_source", Value::Bool(true))];
    let (tid, node) = (track as u32, Some(number));
    let created = Timestamp(at);
    take(&Event::Node(Node {
        node: number,
        at: created,
        kind,
        name,
        queue: Some(queue),
        tid,
        location,
        args: &args,
    }));
    if number > 1 {
        let reason = EdgeReason::Event;
        let (source, access_mode, memory_object) = (number - 1, "", 0);
        take(&Event::Edge(Edge { at: created, source, target: number, reason, access_mode, memory_object }));
    }
    macro_rules! slice {
        ($at:expr, $category:ident, $name:expr, $node:expr, $location:expr, $args:expr) => {
            take(&Event::SliceBegin(SliceBegin {
                track,
                at: Timestamp($at),
                category: Category::$category,
                name: $name,
                node: $node,
                location: $location,
                args: $args,
            }))
        };
    }
    slice!(at + 100, Submission, name, node, location, &[]);
    let unknown = SourceLocation::default();
    for (call, name) in
        ["urKernelSetArgPointer", "urEnqueueKernelLaunchWithArgsExp", "urEventRetain"].iter().enumerate()
    {
        let begin = at + 300 + call as u64 * 1_000;
        let args = [
            ("hQueue", Value::Pointer(0x7f00_0000_0000 + queue)),
            ("hKernel", Value::Pointer(0x7f00_1000_0000 + (random >> 50) * 64)),
            ("workDim", Value::Uint(3)),
        ];
        slice!(begin, Call, name, None, unknown, &args);
        let end = Timestamp(begin + 200 + (random >> 56));
        take(&Event::SliceEnd(SliceEnd { track, at: end, args: &[("result", Value::Int(0))] }));
    }
    take(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at + 4_000), args: &[] }));
    let start = at + 5_000;
    take(&Event::Execution(Execution {
        node: number,
        queue,
        kind,
        name,
        queued: Some(Timestamp(at + 1_500)),
        submitted: Some(Timestamp(at + 1_700)),
        start: Timestamp(start),
        end: Timestamp(start + 1_000 + (random >> 49)),
        args: &[("bytes", Value::Uint(random >> 44))],
    }));
}
