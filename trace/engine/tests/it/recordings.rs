//! Recordings for tests: a small readable one, and any number of random ones.

mod objects;
pub(crate) mod run;
pub(crate) mod script;
mod whole;

pub(crate) use whole::{SOURCE, whole};

use proptest::prelude::*;
use syclscope_engine::export::Exporter;
use syclscope_language::event::{
    Allocation, AllocationKind, Category, CounterSample, Dropped, Edge, EdgeReason, Event, EventSink,
    Execution, Instant, Node, NodeKind, Process, Queue, QueueOrder, Release, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

pub(crate) type Play = fn(&mut dyn FnMut(&Event<'_>));

#[derive(Debug, Default)]
pub(crate) struct Log(pub(crate) Vec<String>);

impl EventSink for Log {
    fn event(&mut self, event: &Event<'_>) {
        self.0.push(format!("{event:?}"));
    }
}

/// Writes events, drains the writer after each of them, and closes the file.
pub(crate) fn write<W: Exporter + Default>(play: impl FnOnce(&mut dyn FnMut(&Event<'_>))) -> Vec<u8> {
    let mut writer = W::default();
    let mut bytes = Vec::new();
    play(&mut |event| {
        writer.event(event);
        writer.drain_into(&mut bytes);
    });
    writer.finish();
    writer.drain_into(&mut bytes);
    bytes
}

pub(crate) const PROCESS: Process<'static> = Process {
    pid: 4711,
    name: "stencil",
    command_line: "./stencil --size 64",
    host: "node1",
    start_unix_ns: 1_763_700_000_000_000_000,
    start_monotonic_ns: 5_000_000_000,
    start_ns: 0,
    from_ns: None,
    recorder: "syclscope 0.1.0",
    rank: None,
    rank_count: None,
    local_rank: None,
};

const DEVICE: &str = "Intel(R) Xeon(R)";

fn place(line: u32) -> SourceLocation<'static> {
    SourceLocation { function: "main", file: "/src/stencil.cpp", line, column: 7 }
}

/// Records a short run: two queues, a copy and two kernels with edges, waits, calls, memory and a lost event.
pub(crate) fn small(take: &mut dyn FnMut(&Event<'_>)) {
    let at = Timestamp;
    take(&Event::Process(PROCESS));
    let group = Track { track: 1, parent: None, kind: TrackKind::Process, name: "stencil", tid: 0 };
    take(&Event::Track(group));
    let thread = Track { track: 2, parent: Some(1), kind: TrackKind::Thread, name: "main thread", tid: 4711 };
    take(&Event::Track(thread));
    let counter = Track { track: 3, parent: Some(1), kind: TrackKind::Counter, name: "live events", tid: 0 };
    take(&Event::Track(counter));
    let queue = Queue {
        queue: 1,
        at: at(1_000),
        runtime_id: 0,
        handle: 0x7f00_0000_1000,
        order: QueueOrder::InOrder,
        device: DEVICE,
        device_type: "CPU",
        device_handle: 0x7f00_0000_2000,
        context: 0x7f00_0000_3000,
    };
    take(&Event::Queue(queue));
    take(&Event::Queue(Queue {
        queue: 2,
        runtime_id: 1,
        order: QueueOrder::OutOfOrder,
        at: at(1_500),
        ..queue
    }));
    let allocation = Allocation {
        at: at(2_000),
        pointer: 0x7f00_1000_0000,
        size_bytes: 4096,
        kind: AllocationKind::Device,
        guard_bytes: 0,
        device: DEVICE,
        tid: 4711,
        location: place(20),
    };
    take(&Event::Allocation(allocation));
    take(&Event::Allocation(Allocation {
        pointer: 0x7f00_2000_0000,
        kind: AllocationKind::Shared,
        ..allocation
    }));
    for (number, kind, name, start, queue) in [
        (1, NodeKind::Copy, "memory copy", 10_000, 1),
        (2, NodeKind::Kernel, "Stencil<float>", 20_000, 2),
        (3, NodeKind::Kernel, "Stencil<float>", 22_000, 2),
    ] {
        let node = Node {
            node: number,
            at: at(start),
            kind,
            name,
            queue: Some(queue),
            tid: 4711,
            location: place(30 + number as u32),
            args: &[("sycl_device", Value::Str(DEVICE)), ("copy_from", Value::Pointer(0x10 + number))],
        };
        take(&Event::Node(node));
        if number > 1 {
            take(&Event::Edge(Edge {
                at: at(start + 100),
                source: number - 1,
                target: number,
                reason: EdgeReason::Accessor,
                access_mode: "read_write",
                memory_object: 0xabc0,
            }));
        }
        take(&Event::SliceBegin(SliceBegin {
            track: 2,
            at: at(start + 200),
            category: Category::Submission,
            name,
            node: Some(number),
            location: place(30 + number as u32),
            args: &[],
        }));
        take(&Event::SliceBegin(SliceBegin {
            track: 2,
            at: at(start + 300),
            category: Category::Call,
            name: "urEnqueueKernelLaunch",
            node: None,
            location: SourceLocation::default(),
            args: &[("hQueue", Value::Pointer(0x7f00_0000_1000)), ("workDim", Value::Uint(2))],
        }));
        take(&Event::SliceEnd(SliceEnd {
            track: 2,
            at: at(start + 900),
            args: &[("result", Value::Int(0)), ("node", Value::Str("the recorded argument of this name"))],
        }));
        take(&Event::SliceEnd(SliceEnd { track: 2, at: at(start + 1_000), args: &[] }));
        take(&Event::Counter(CounterSample { track: 3, at: at(start + 1_000), value: number as f64 * 0.5 }));
    }
    for (node, queue, start, end) in [(1, 1, 11_500, 14_000), (2, 2, 22_500, 40_000), (3, 2, 30_000, 45_123)]
    {
        take(&Event::Execution(Execution {
            node,
            queue,
            kind: if node == 1 { NodeKind::Copy } else { NodeKind::Kernel },
            name: if node == 1 { "memory copy" } else { "Stencil<float>" },
            queued: Some(at(start - 400)),
            submitted: (node != 3).then_some(at(start - 200)),
            start: at(start),
            end: at(end),
            args: &[("bytes", Value::Uint(4096)), ("blocking", Value::Bool(node == 1))],
        }));
    }
    take(&Event::Instant(Instant {
        track: 2,
        at: at(46_000),
        category: Category::Diagnostic,
        name: "a message with \"quotes\", a \\ and a\nline break",
        node: None,
        location: place(50),
        args: &[("level", Value::Int(-1)), ("ratio", Value::Float(0.25)), ("text", Value::Str("0x10"))],
    }));
    take(&Event::Release(Release { at: at(47_000), pointer: 0x7f00_1000_0000, tid: 4711 }));
    take(&Event::Dropped(Dropped { at: at(47_500), kind: "full_buffer", count: 3 }));
    take(&Event::QueueDestroy { at: at(48_000), queue: 2 });
    take(&Event::SliceBegin(SliceBegin {
        track: 2,
        at: at(48_100),
        category: Category::Wait,
        name: "queue.wait",
        node: None,
        location: place(60),
        args: &[],
    }));
    take(&Event::SliceEnd(SliceEnd { track: 2, at: at(49_000), args: &[] }));
    take(&Event::Finish { at: at(50_000) });
}

/// A step of a random recording: the kind of event, and numbers to create it from.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    kind: u8,
    numbers: [u64; 4],
    text: usize,
}

pub(crate) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let number = prop_oneof![0..6_u64, 0..100_000_u64, 0..1_u64 << 50, any::<u64>()];
    let step = (0..35_u8, prop::array::uniform4(number), 0..TEXTS.len());
    let step = step.prop_map(|(kind, numbers, text)| Step { kind, numbers, text });
    prop::collection::vec(step, 0..most)
}

const TEXTS: &[&str] = &[
    "",
    "kernel",
    "a\"b\\c\n\u{1}",
    "0x1f",
    "+7",
    "7",
    "é – ü",
    "arg.node",
    "node",
    "\"quoted\"",
    "column",
    "true",
];

pub(crate) fn play(steps: &[Step], take: &mut dyn FnMut(&Event<'_>)) {
    play_as(PROCESS, steps, take);
}

pub(crate) fn play_as(process: Process<'_>, steps: &[Step], take: &mut dyn FnMut(&Event<'_>)) {
    take(&Event::Process(process));
    for step in steps {
        let [a, b, c, d] = step.numbers;
        let text = TEXTS[step.text];
        let other = TEXTS[(step.text + 5) % TEXTS.len()];
        // Times stay in the range in which microseconds with three decimals and absolute times are exact.
        let at = Timestamp(b % (1 << 50));
        let later = Timestamp(at.0 + c % 100_000);
        let location =
            SourceLocation { function: text, file: other, line: c as u32 % 3, column: d as u32 % 2 };
        let values = [
            (text, Value::Uint(a)),
            (other, Value::Int(b.cast_signed())),
            ("p", Value::Pointer(c)),
            ("f", Value::Float(d as f64 * 0.5)),
            ("t", Value::Str(other)),
            ("b", Value::Bool(a % 2 == 0)),
            ("inf", Value::Float(f64::NEG_INFINITY)),
        ];
        let args = &values[..(d % 8) as usize];
        let node = (c % 3 != 0).then_some(c % 9);
        let (track, name) = (1 + a % 5, text);
        let kind = NodeKind::ALL[d as usize % NodeKind::ALL.len()];
        let category = Category::ALL[d as usize % Category::ALL.len()];
        take(&match step.kind {
            0 => Event::Track(Track {
                track,
                parent: (b % 2 == 0).then_some(1 + c % 5),
                kind: TrackKind::ALL[d as usize % TrackKind::ALL.len()],
                name,
                tid: if TrackKind::ALL[d as usize % TrackKind::ALL.len()] == TrackKind::Thread {
                    c as u32
                } else {
                    0
                },
            }),
            1 => Event::Queue(Queue {
                queue: a % 4,
                at,
                runtime_id: c,
                handle: d,
                order: QueueOrder::ALL[c as usize % 3],
                device: other,
                device_type: text,
                device_handle: c % 2,
                context: a,
            }),
            2 => Event::QueueDestroy { at, queue: a % 4 },
            3..=4 => Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }),
            5..=6 => Event::SliceEnd(SliceEnd { track, at, args }),
            7 => Event::Instant(Instant { track, at, category, name, node, location, args }),
            8 => {
                Event::Node(Node { node: a % 9, at, kind, name, queue: node, tid: c as u32, location, args })
            }
            9 => Event::Edge(Edge {
                at,
                source: a % 9,
                target: c % 9,
                reason: EdgeReason::ALL[d as usize % EdgeReason::ALL.len()],
                access_mode: text,
                memory_object: d,
            }),
            10 => Event::Execution(Execution {
                node: a % 9,
                queue: c % 4,
                kind,
                name,
                queued: node.map(|_| at),
                submitted: (d % 2 == 0).then_some(later),
                start: at,
                end: later,
                args,
            }),
            11 => Event::Allocation(Allocation {
                at,
                pointer: a % 4,
                size_bytes: c % (1 << 40),
                kind: AllocationKind::ALL[d as usize % AllocationKind::ALL.len()],
                guard_bytes: d % 3,
                device: other,
                tid: c as u32,
                location,
            }),
            12 => Event::Release(Release { at, pointer: a % 4, tid: d as u32 }),
            14.. => objects::event(step, text, other, at, node, location, args),
            _ => match a % 3 {
                0 => Event::Counter(CounterSample { track, at, value: c as f64 * 0.25 }),
                1 => Event::Dropped(Dropped { at, kind: text, count: c % 100 }),
                _ => Event::Finish { at },
            },
        });
    }
}
