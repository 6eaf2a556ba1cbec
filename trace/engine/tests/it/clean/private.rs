//! A run with private content.

use syclscope_language::event::{
    Category, Event, Execution, Fact, FactKind, Instant, Node, NodeKind, Process, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceFile, SourceLocation, SourceState, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

pub(super) fn private(take: &mut dyn FnMut(&Event<'_>)) {
    let at = Timestamp;
    let location = SourceLocation {
        function: "anneal_alloy",
        file: "/home/anna/My Project/alloy.cpp",
        line: 7,
        column: 3,
    };
    take(&Event::Process(Process {
        pid: 7,
        name: "alloysim",
        command_line: "/home/anna/bin/alloysim --recipe=titanium-9",
        host: "node17.plant.example",
        start_unix_ns: 1_795_319_231_761_034_040,
        start_monotonic_ns: 5,
        start_ns: 0,
        from_ns: None,
        recorder: "syclscope 0.1.0",
        rank: None,
        rank_count: None,
        local_rank: None,
    }));
    take(&Event::Track(Track { track: 1, parent: None, kind: TrackKind::Process, name: "alloysim", tid: 7 }));
    take(&Event::Track(Track {
        track: 2,
        parent: Some(1),
        kind: TrackKind::Thread,
        name: "alloysim",
        tid: 7,
    }));
    take(&Event::Queue(Queue {
        queue: 1,
        at: at(1),
        runtime_id: 0,
        handle: 5,
        order: QueueOrder::InOrder,
        device: "AMD EPYC",
        device_type: "CPU",
        device_handle: 6,
        context: 7,
    }));
    take(&Event::Fact(Fact {
        at: at(0),
        kind: FactKind::Environment,
        name: "SYCL_CACHE_DIR",
        value: "/scratch/anna/cache",
    }));
    take(&Event::Fact(Fact {
        at: at(0),
        kind: FactKind::Version,
        name: "libsycl",
        value: "9 (/opt/anna/lib/libsycl.so.9)",
    }));
    let text = "#include \"recipe.hpp\"\nconstexpr double melting_point_of_titanium_9 = 1941.0;\n";
    take(&Event::SourceFile(SourceFile {
        at: at(0),
        name: "/home/anna/My Project/alloy.cpp",
        state: SourceState::Whole,
        sha256: "0e97b8c5f39c39d7cf3a2f2bd7d0c29ed9f0d9a2c1a5f9d64c1fca1a5e8a3b21",
        size_bytes: text.len() as u64,
        text,
    }));
    for (number, name) in [(1, "AnnealKernel<double>"), (2, "copy")] {
        let (queue, tid, kind) = (None, 7, NodeKind::Kernel);
        let args = &[
            ("kernel_name", Value::Str("_ZTS12AnnealKernelIdE")),
            ("global_size", Value::Str("1024 × 256")),
        ];
        take(&Event::Node(Node { node: number, at: at(10), kind, name, queue, tid, location, args }));
        let (queued, submitted, args) = (None, None, [("bytes", Value::Uint(5))]);
        let (start, end) = (at(20 * number), at(20 * number + 9));
        take(&Event::Execution(Execution {
            node: number,
            queue: 1,
            kind,
            name,
            queued,
            submitted,
            start,
            end,
            args: &args,
        }));
    }
    let begin = |at: u64, category, name, args| {
        Event::SliceBegin(SliceBegin {
            track: 2,
            at: Timestamp(at),
            category,
            name,
            node: None,
            location,
            args,
        })
    };
    let end = |at: u64, args| Event::SliceEnd(SliceEnd { track: 2, at: Timestamp(at), args });
    take(&begin(10, Category::Submission, "AnnealKernel<double>", &[]));
    take(&end(12, &[]));
    take(&begin(
        13,
        Category::Call,
        "urProgramBuild",
        &[
            (
                "pOptions",
                Value::Str(
                    "-I/home/anna/include -DHOST=NODE17 -DFILE=file%3A%2F%2F%2Fhome%2Fanna%2FMy%20Project%2Falloy.cpp",
                ),
            ),
            ("pKernelName", Value::Str("_ZTS12AnnealKernelIdE")),
            ("flags", Value::Str("UR_MEM_FLAG_READ_WRITE")),
        ],
    ));
    take(&end(14, &[("pPropValue", Value::Str("built on node17-ib0 by anna@node17 from alloy.cpp"))]));
    take(&begin(
        15,
        Category::User,
        "melt titanium-9",
        &[("patient", Value::Uint(4711)), ("recipe", Value::Str("titanium-9"))],
    ));
    take(&end(16, &[("yield", Value::Float(0.93))]));
    take(&Event::Instant(Instant {
        track: 2,
        at: at(17),
        category: Category::Diagnostic,
        name: "can't open \"/home/anna/My Project/alloy.cpp\"",
        node: None,
        location,
        args: &[],
    }));
    take(&Event::Finish { at: at(100) });
}
