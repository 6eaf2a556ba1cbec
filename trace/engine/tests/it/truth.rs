//! Runs with known content, and filters evaluated by their definition.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::api::{ArgValue, SliceDetail};
use syclscope_language::event::{
    Accessor, Category, Event, EventSink as _, Execution, MemoryObject, Node, NodeKind, ObjectKind, Process,
    Queue, QueueOrder, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

/// A run, and the record of each slice by its argument `id`.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) trace: Trace,
    truths: Vec<Truth>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Truth {
    pub(crate) kind: Option<NodeKind>,
    queue: Option<u64>,
    node: Option<u64>,
    file: &'static str,
    line: u32,
    bytes: u64,
    result: Option<&'static str>,
    buffer: Option<u64>,
    thread: &'static str,
}

impl Run {
    pub(crate) fn truth(&self, slice: &SliceDetail) -> &Truth {
        let id = slice.args.iter().find(|(key, _)| key == "id").map(|(_, value)| value);
        let Some(ArgValue::Uint(id)) = id else { panic!("{slice:?}") };
        &self.truths[*id as usize]
    }
}

const NAMES: [&str; 6] = ["Gemm<float>", "gemm", "sycl::queue wait", "init", "Größe", "a (b)"];
const FILES: [&str; 3] = ["", "/src/main.cpp", "/src/Other.cpp"];

/// One slice of a thread or of a queue: place, start, duration and further data.
type Seed = (u8, u64, u64, usize, u64);

fn run(seeds: &[Seed]) -> Run {
    let mut builder = TraceBuilder::new();
    let at = Timestamp;
    builder.event(&Event::Process(Process { pid: 77, name: "program", ..Process::default() }));
    let group = Track { track: 9, parent: None, kind: TrackKind::Process, name: "program", tid: 0 };
    builder.event(&Event::Track(group));
    let thread = Track { track: 1, parent: Some(9), kind: TrackKind::Thread, name: "worker", tid: 5 };
    builder.event(&Event::Track(thread));
    builder.event(&Event::Track(Track { track: 2, name: "helper", tid: 6, ..thread }));
    for queue in [1, 2] {
        builder.event(&Event::Queue(Queue {
            queue,
            at: at(0),
            runtime_id: 0,
            handle: queue,
            order: QueueOrder::OutOfOrder,
            device: ["", "Big Device", "Small Device"][queue as usize],
            device_type: ["", "GPU", "CPU"][queue as usize],
            device_handle: queue,
            context: 1,
        }));
    }
    builder.event(&Event::MemoryObject(MemoryObject {
        object: 3,
        at: at(0),
        kind: ObjectKind::Buffer,
        address: 0xabc0,
        host_pointer: 0,
        element_type: "float",
        element_size_bytes: 4,
        dimensions: 1,
        range_0: 4,
        range_1: 0,
        range_2: 0,
        tid: 5,
        location: SourceLocation::default(),
        args: &[],
    }));
    let mut truths = Vec::new();
    for (id, (place, start, duration, name, more)) in seeds.iter().enumerate() {
        let (name, category) = (NAMES[*name], Category::ALL[*more as usize % Category::ALL.len()]);
        let mut truth = Truth {
            line: *more as u32 % 4,
            file: FILES[*more as usize % 3],
            bytes: more << 18,
            ..Truth::default()
        };
        let location = SourceLocation { function: "", file: truth.file, line: truth.line, column: 0 };
        let mut args = vec![("id", Value::Uint(id as u64)), ("bytes", Value::Uint(truth.bytes))];
        if more % 5 == 0 {
            truth.result = Some("UR_RESULT_ERROR_INVALID_VALUE");
            args.push(("result", Value::Str("UR_RESULT_ERROR_INVALID_VALUE")));
        }
        let node = id as u64 + 100;
        if *place < 2 || more % 7 == 0 {
            let kind = NodeKind::ALL[*more as usize % NodeKind::ALL.len()];
            let queue = 1 + more % 2;
            (truth.kind, truth.queue, truth.node) = (Some(kind), Some(queue), Some(node));
            let (tid, args) = (5, &[]);
            let location = if *place < 2 { location } else { SourceLocation::default() };
            builder.event(&Event::Node(Node {
                node,
                at: at(*start),
                kind,
                name,
                queue: Some(queue),
                tid,
                location,
                args,
            }));
            if more % 3 == 0 {
                truth.buffer = Some(3);
                let (target, mode, location) = ("device", "read", SourceLocation::default());
                let (object, address, node, at) = (3, 0xabc0, Some(node), at(*start));
                builder.event(&Event::Accessor(Accessor {
                    object,
                    at,
                    address,
                    target,
                    mode,
                    node,
                    tid,
                    location,
                    args,
                }));
            }
        }
        if *place < 2 {
            let (queue, kind) = (truth.queue.unwrap(), truth.kind.unwrap());
            let (queued, submitted, end) = (None, None, at(start + duration));
            let args = &args[..];
            builder.event(&Event::Execution(Execution {
                node,
                queue,
                kind,
                name,
                queued,
                submitted,
                start: at(*start),
                end,
                args,
            }));
        } else {
            let track = u64::from(*place) - 1;
            truth.thread = ["", "worker", "helper"][track as usize];
            let (node, args) = (truth.node, &args[..]);
            builder.event(&Event::SliceBegin(SliceBegin {
                track,
                at: at(*start),
                category,
                name,
                node,
                location,
                args,
            }));
            builder.event(&Event::SliceEnd(SliceEnd { track, at: at(start + duration), args: &[] }));
        }
        truths.push(truth);
    }
    builder.event(&Event::Finish { at: at(20_000) });
    Run { trace: builder.build(), truths }
}

pub(crate) fn runs() -> impl Strategy<Value = Run> {
    let duration = prop_oneof![Just(0), 0..20_u64, 0..3_000_u64, Just(5_000_000_000)];
    let seed = (0..4_u8, 0..6_000_u64, duration, 0..NAMES.len(), 0..60_u64);
    prop::collection::vec(seed, 1..60).prop_map(|seeds| run(&seeds))
}

/// A filter with an independent evaluation.
#[derive(Clone, Debug)]
pub(crate) enum Twin {
    Leaf(&'static str, IsTrue),
    All(Vec<Twin>),
    Any(Vec<Twin>),
    Not(Box<Twin>),
}

impl Twin {
    pub(crate) fn text(&self) -> String {
        let join = |parts: &[Self], between| parts.iter().map(Self::text).collect::<Vec<_>>().join(between);
        match self {
            Self::Leaf(text, _) => (*text).to_owned(),
            Self::All(parts) => format!("({})", join(parts, " ")),
            Self::Any(parts) => format!("({})", join(parts, " or ")),
            Self::Not(part) => format!("-{}", part.text()),
        }
    }

    pub(crate) fn is_true(&self, run: &Run, slice: &SliceDetail) -> bool {
        match self {
            Self::Leaf(_, is_true) => is_true(run.truth(slice), slice),
            Self::All(parts) => parts.iter().all(|part| part.is_true(run, slice)),
            Self::Any(parts) => parts.iter().any(|part| part.is_true(run, slice)),
            Self::Not(part) => !part.is_true(run, slice),
        }
    }
}

fn end(slice: &SliceDetail) -> u64 {
    slice.at.start_ns + slice.at.duration_ns
}

fn is_call(slice: &SliceDetail) -> bool {
    matches!(slice.category, Category::Call | Category::Native)
}

type IsTrue = fn(&Truth, &SliceDetail) -> bool;

const LEAVES: &[(&str, IsTrue)] = &[
    ("GEMM", |_, slice| slice.name.to_lowercase().contains("gemm")),
    ("name=gemm", |_, slice| slice.name == "gemm"),
    ("name!=gemm", |_, slice| slice.name != "gemm"),
    ("sycl::queue", |_, slice| slice.name.contains("sycl::queue")),
    ("\"a (b)\"", |_, slice| slice.name == "a (b)"),
    ("größe", |_, slice| slice.name == "Größe"),
    ("category:wait", |_, slice| slice.category == Category::Wait),
    ("category!=wait", |_, slice| slice.category != Category::Wait),
    ("kind:copy", |truth, _| truth.kind == Some(NodeKind::Copy)),
    ("kind!=copy", |truth, _| truth.kind.is_some_and(|kind| kind != NodeKind::Copy)),
    ("duration>1us", |_, slice| slice.at.duration_ns > 1_000),
    ("duration<=0.015us", |_, slice| slice.at.duration_ns <= 15),
    ("duration=5s", |_, slice| slice.at.duration_ns == 5_000_000_000),
    ("start>=2.5us", |_, slice| slice.at.start_ns >= 2_500),
    ("end<3000", |_, slice| end(slice) < 3_000),
    ("queue:1", |truth, _| truth.queue == Some(1)),
    ("queue>1", |truth, _| truth.queue == Some(2)),
    ("queue!=1", |truth, _| truth.queue == Some(2)),
    ("device:gpu", |truth, _| truth.queue == Some(1)),
    ("device=\"Small Device\"", |truth, _| truth.queue == Some(2)),
    ("device!=GPU", |truth, _| truth.queue == Some(2)),
    ("thread:work", |truth, _| truth.thread == "worker"),
    ("thread:6", |truth, _| truth.thread == "helper"),
    ("thread!=helper", |truth, _| truth.thread == "worker"),
    ("track:help", |truth, _| truth.thread == "helper"),
    ("process=77", |_, _| true),
    ("file:MAIN", |truth, _| truth.file == "/src/main.cpp"),
    ("file!=/src/main.cpp", |truth, _| truth.file == "/src/Other.cpp"),
    ("line:2", |truth, _| truth.line == 2),
    ("line>1", |truth, _| truth.line > 1),
    ("node>=130", |truth, _| truth.node.is_some_and(|node| node >= 130)),
    ("buffer:3", |truth, _| truth.buffer == Some(3)),
    ("buffer=0xabc0", |truth, _| truth.buffer == Some(3)),
    ("buffer!=3", |_, _| false),
    ("buffer!=4", |truth, _| truth.buffer == Some(3)),
    ("buffer>3", |_, _| false),
    ("buffer!=0xabc0", |_, _| false),
    ("error:true", |truth, slice| is_call(slice) && truth.result.is_some()),
    ("error:false", |truth, slice| is_call(slice) && truth.result.is_none()),
    ("unfinished:true", |_, slice| slice.unfinished),
    ("arg.bytes>=1M", |truth, _| truth.bytes >= 1 << 20),
    ("arg.bytes=0.25M", |truth, _| truth.bytes == 1 << 18),
    ("arg.result:\"\"", |truth, _| truth.result.is_some()),
    ("arg.result:invalid_value", |truth, _| truth.result.is_some()),
    ("arg.result!=x", |truth, _| truth.result.is_some()),
    ("arg.nothing:x", |_, _| false),
];

pub(crate) fn filters() -> impl Strategy<Value = Twin> {
    let leaf = prop::sample::select(LEAVES).prop_map(|(text, is_true)| Twin::Leaf(text, is_true));
    leaf.prop_recursive(3, 12, 3, |inner| {
        let parts = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            parts.clone().prop_map(Twin::All),
            parts.prop_map(Twin::Any),
            inner.prop_map(|part| Twin::Not(Box::new(part))),
        ]
    })
}
