//! Call stacks: in details, in call trees, in findings, and in merged, cut and cleaned recordings.

use syclscope_engine::export::perfetto;
use syclscope_engine::merge::merge;
use syclscope_engine::{cut, import};
use syclscope_language::api::{CallTree, GraphView, MemoryUse, StackFrameInfo, ViewNode};
use syclscope_language::event::{
    AllocationKind, CALL_STACK, Category, Event, Execution, FrameKind, Node, NodeKind, Process, Queue,
    QueueOrder, SliceBegin, SliceEnd, SourceLocation, StackFrame, Track, TrackKind, Value,
};
use syclscope_language::formats::Format;
use syclscope_language::question::{CallGrouping, CallTreeQuestion, CallWeight};
use syclscope_language::time::Timestamp;

use crate::recordings::{Log, PROCESS, run::Run, write};

/// `main` calls `step` at two lines; `step` submits at line 30 and waits at line 31.
const FRAMES: [(u64, Option<u64>, FrameKind, &str, u32); 6] = [
    (1, None, FrameKind::System, "_start", 0),
    (2, Some(1), FrameKind::Program, "main", 61),
    (3, Some(1), FrameKind::Program, "main", 72),
    (4, Some(2), FrameKind::Program, "step", 30),
    (5, Some(3), FrameKind::Program, "step", 30),
    (6, Some(3), FrameKind::Program, "step", 31),
];

fn frames(take: &mut dyn FnMut(&Event<'_>)) {
    for (frame, caller, kind, function, line) in FRAMES {
        let location = SourceLocation { function, file: "/src/rod.cpp", line, column: 0 };
        let module = "/opt/rod";
        take(&Event::StackFrame(StackFrame {
            frame,
            caller,
            kind,
            module,
            location,
            ..StackFrame::default()
        }));
    }
    // Only the file of this frame is known.
    let kind = FrameKind::Runtime;
    take(&Event::StackFrame(StackFrame {
        frame: 7,
        caller: Some(4),
        kind,
        module: "/lib/libsycl.so.8",
        offset: 0x1234,
        ..StackFrame::default()
    }));
}

/// Records two kernels of 100 and 50 ns, and a wait of 10 ns.
fn played(process: Process<'_>, take: &mut dyn FnMut(&Event<'_>)) {
    take(&Event::Process(process));
    take(&Event::Track(Track { track: 1, parent: None, kind: TrackKind::Thread, name: "main", tid: 1 }));
    take(&Event::Queue(Queue {
        queue: 1,
        at: Timestamp(0),
        runtime_id: 1,
        handle: 1,
        order: QueueOrder::InOrder,
        device: "device",
        device_type: "CPU",
        device_handle: 1,
        context: 1,
    }));
    frames(take);
    for (node, stack, start, end) in [(1, 7, 100, 200), (2, 5, 200, 250)] {
        let (kind, name) = (NodeKind::Kernel, "kernel");
        let args = [("size", Value::Uint(3)), (CALL_STACK, Value::Uint(stack))];
        let (queue, location, at) = (Some(1), SourceLocation::default(), Timestamp(start - 50));
        take(&Event::Node(Node { node, at, kind, name, queue, tid: 1, location, args: &args }));
        take(&Event::Execution(Execution {
            node,
            queue: 1,
            kind,
            name,
            queued: None,
            submitted: None,
            start: Timestamp(start),
            end: Timestamp(end),
            args: &[],
        }));
    }
    take(&Event::SliceBegin(SliceBegin {
        track: 1,
        at: Timestamp(240),
        category: Category::Wait,
        name: "queue.wait",
        node: None,
        location: SourceLocation { function: "step", file: "rod.cpp", line: 31, column: 0 },
        args: &[(CALL_STACK, Value::Uint(6))],
    }));
    take(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(250), args: &[] }));
    take(&Event::Finish { at: Timestamp(300) });
}

fn file(process: Process<'_>) -> Vec<u8> {
    write::<perfetto::Writer>(|take| played(process, take))
}

fn names(stack: &[StackFrameInfo]) -> String {
    let frames = stack.iter().map(|frame| {
        let line = frame.location.as_ref().map_or(0, |location| location.line);
        format!("{}:{line}", frame.name)
    });
    frames.collect::<Vec<_>>().join(" ")
}

fn tree(trace: &syclscope_engine::store::Trace, weight: CallWeight) -> String {
    let question = CallTreeQuestion { weight, limit: 100, ..CallTreeQuestion::default() };
    let CallTree { groups, names, .. } = trace.call_tree(&question).unwrap();
    let nodes = groups.iter().flat_map(|group| &group.nodes);
    nodes
        .map(|node| {
            format!("{}×{} {} ({}) ", names[node.name as usize], node.count, node.total_ns, node.self_ns)
        })
        .collect()
}

#[test]
fn details_have_the_stack_of_a_wait_and_of_a_commands_submission() {
    let trace = import::open(&file(PROCESS)).unwrap();
    let details: Vec<_> = (0..3).filter_map(|slice| trace.slice(slice).ok()).collect();
    let kernel = details.iter().find(|detail| detail.name == "kernel").unwrap();
    assert!(kernel.stack.is_empty());
    let node = kernel.node.as_ref().unwrap();
    assert_eq!(names(&node.stack), "libsycl.so.8+0x1234:0 step:30 main:61 _start:0");
    assert_eq!(node.args.len(), 1, "the number of the stack is nothing to read");
    let wait = details.iter().find(|detail| detail.name == "queue.wait").unwrap();
    assert_eq!(names(&wait.stack), "step:31 main:72 _start:0");
    assert!(wait.stack[0].is_users() && !wait.stack[2].is_users() && wait.args.is_empty());
}

/// One kernel, submitted at one line that two others call.
#[test]
fn a_graph_folds_by_stack() {
    let trace = import::open(&file(PROCESS)).unwrap();
    let view = |level: &str| -> GraphView {
        serde_json::from_str(&trace.answer(&format!("graph?level={level}").parse().unwrap()).unwrap())
            .unwrap()
    };
    assert_eq!(view("kernels").nodes.len(), 1);
    let stacks = view("stacks");
    let within = |node: &ViewNode| node.within.map(|name| stacks.names[name as usize].as_str());
    let nodes: Vec<_> = stacks.nodes.iter().map(|node| (node.count, within(node))).collect();
    assert_eq!(nodes, [(1, Some("step:30 ← main:61")), (1, Some("step:30 ← main:72"))]);
}

#[test]
fn time_is_summed_up_by_stack() {
    let trace = import::open(&file(PROCESS)).unwrap();
    assert_eq!(
        tree(&trace, CallWeight::Device),
        "_start×2 150 (0) main×2 150 (0) step×2 150 (0) libsycl.so.8×1 100 (0) kernel×1 100 (100) kernel×1 50 (50) "
    );
    assert_eq!(
        tree(&trace, CallWeight::Waits),
        "_start×1 10 (0) main×1 10 (0) step×1 10 (0) queue.wait×1 10 (10) "
    );
}

/// Returns two allocations of a line, one of another and one without a stack: at most 4,000 bytes are live.
fn allocations() -> syclscope_engine::store::Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    frames(&mut |event| run.event(event));
    let mut allocate = |at: u64, name: &str, stack: Option<u64>, kind: AllocationKind, bytes: u64| {
        let begin = SliceBegin {
            track: 1,
            at: Timestamp(at),
            category: Category::Memory,
            name,
            node: None,
            location: SourceLocation::default(),
            args: &stack.map_or(Vec::new(), |stack| vec![(CALL_STACK, Value::Uint(stack))]),
        };
        run.event(&Event::SliceBegin(begin));
        run.slice(Category::Call, "urUSMDeviceAlloc", at + 2, at + 8, None, &[]);
        run.allocate(at + 5, at << 16, bytes, kind);
        run.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at + 10), args: &[] }));
    };
    allocate(100, "malloc_device", Some(4), AllocationKind::Device, 1_000);
    allocate(200, "malloc_host", Some(5), AllocationKind::Host, 2_900);
    allocate(210, "malloc_host", None, AllocationKind::Host, 100);
    allocate(400, "malloc_device", Some(4), AllocationKind::Device, 500);
    run.release(300, 100 << 16);
    run.trace()
}

fn bytes(trace: &syclscope_engine::store::Trace, question: &str) -> String {
    let answer = trace.answer(&question.parse().unwrap()).unwrap();
    let CallTree { groups, names, .. } = serde_json::from_str(&answer).unwrap();
    let nodes = groups.iter().flat_map(|group| &group.nodes);
    nodes
        .map(|node| {
            assert_eq!((node.total_ns, node.self_ns, node.max_ns), (0, 0, 0));
            let (name, count) = (&names[node.name as usize], node.count);
            let (total, own) = (node.total_bytes.unwrap(), node.self_bytes.unwrap());
            format!("{name}×{count} {total} ({own}) ")
        })
        .collect()
}

#[test]
fn bytes_are_summed_up_by_stack() {
    let trace = allocations();
    assert_eq!(
        bytes(&trace, "calltree?weight=allocated"),
        "_start×3 4400 (0) main×3 4400 (0) step×3 4400 (0) malloc_host×1 2900 (2900) malloc_device×2 1500 (1500) "
    );
    assert_eq!(
        bytes(&trace, "calltree?weight=allocated&from=400"),
        "_start×1 500 (0) main×1 500 (0) step×1 500 (0) malloc_device×1 500 (500) "
    );
    assert_eq!(
        bytes(&trace, "calltree?weight=allocated&where=name:host"),
        "_start×1 2900 (0) main×1 2900 (0) step×1 2900 (0) malloc_host×1 2900 (2900) "
    );
    // An allocation without a stack is in no tree, but is part of the peak.
    assert_eq!(
        bytes(&trace, "calltree?weight=peak"),
        "_start×2 3900 (0) main×2 3900 (0) step×2 3900 (0) malloc_host×1 2900 (2900) malloc_device×1 1000 (1000) "
    );
    assert_eq!(
        bytes(&trace, "calltree?weight=peak&from=350&to=390"),
        "_start×1 2900 (0) main×1 2900 (0) step×1 2900 (0) malloc_host×1 2900 (2900) "
    );
    let (by, weight) = (CallGrouping::Thread, CallWeight::Peak);
    let question = CallTreeQuestion { by, weight, limit: 100, ..CallTreeQuestion::default() };
    let groups = trace.call_tree(&question).unwrap().groups;
    let groups: Vec<_> =
        groups.iter().map(|group| (group.name.as_str(), group.threads, group.total_bytes)).collect();
    assert_eq!(groups, [("main", 1, Some(3_900))]);
    let in_use: MemoryUse =
        serde_json::from_str(&trace.answer(&"memory_use".parse().unwrap()).unwrap()).unwrap();
    assert_eq!((in_use.peak.bytes, in_use.peak.at_ns), (4_000, 215));
    // Trees of time have no bytes.
    assert_eq!(tree(&trace, CallWeight::Waits), "");
    let waits = trace.answer(&"calltree?weight=waits".parse().unwrap()).unwrap();
    assert!(!waits.contains("bytes"), "{waits}");
}

#[test]
fn a_wait_in_a_wait_counts_once_and_the_stack_of_a_submission_is_not_that_of_its_wait() {
    let mut run = Run::new(QueueOrder::InOrder);
    let frame = StackFrame { frame: 8, kind: FrameKind::Cut, ..StackFrame::default() };
    run.event(&Event::StackFrame(frame));
    frames(&mut |event| run.event(event));
    let location = SourceLocation { function: "solve", ..SourceLocation::default() };
    let frame =
        StackFrame { frame: 9, caller: Some(8), kind: FrameKind::Program, location, ..StackFrame::default() };
    run.event(&Event::StackFrame(frame));
    let (track, at, args) = (1, Timestamp(100), [(CALL_STACK, Value::Uint(9))]);
    run.event(&Event::SliceBegin(SliceBegin {
        track,
        at,
        category: Category::Wait,
        name: "queue.wait",
        node: None,
        location,
        args: &args,
    }));
    run.slice(Category::Wait, "event.wait", 120, 180, None, &args);
    run.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(200), args: &[] }));
    let args = [(CALL_STACK, Value::Uint(4))];
    let (at, kind, name, queue) = (Timestamp(210), NodeKind::Kernel, "kernel", Some(1));
    run.event(&Event::Node(Node { node: 1, at, kind, name, queue, tid: 1, location, args: &args }));
    run.slice(Category::Wait, "event.wait", 220, 280, Some(1), &[]);
    let trace = run.trace();
    let waits = "further callers, not recorded×1 100 (0) solve×1 100 (0) queue.wait×1 100 (100) ";
    assert_eq!(tree(&trace, CallWeight::Waits), waits);
    let (by, weight) = (CallGrouping::Thread, CallWeight::Waits);
    let question = CallTreeQuestion { by, weight, limit: 100, ..CallTreeQuestion::default() };
    let groups = trace.call_tree(&question).unwrap().groups;
    let groups: Vec<_> =
        groups.iter().map(|group| (group.name.as_str(), group.threads, group.total_ns)).collect();
    assert_eq!(groups, [("main", 1, 100)]);
}

#[test]
fn merged_recordings_keep_their_stacks_apart() {
    let second = Process { pid: 4712, name: "other", ..PROCESS };
    let (first, second) = (file(PROCESS), file(second));
    let mut log = Log::default();
    let inputs = [("a", first.as_slice()), ("b", second.as_slice())];
    merge(&inputs, &mut log).unwrap();
    let stacks = |number: &str| log.0.iter().filter(|line| line.contains(number)).count();
    assert_eq!((stacks("(\"call_stack\", Uint(7))"), stacks("(\"call_stack\", Uint(14))")), (1, 1));
    let mut merged = syclscope_engine::builder::TraceBuilder::new();
    merge(&inputs, &mut merged).unwrap();
    let twice = "_start×4 300 (0) main×4 300 (0) step×4 300 (0) libsycl.so.8×2 200 (0) kernel×2 200 (200) kernel×2 100 (100) ";
    assert_eq!(tree(&merged.build(), CallWeight::Device), twice);
}

#[test]
fn a_part_has_the_stacks_of_what_is_in_it() {
    let file = file(PROCESS);
    let mut copy = Vec::new();
    let part = cut::Part::new(205, 300).unwrap();
    let mut look = cut::Look::new(part, syclscope_engine::budget::Budget::unlimited());
    look.feed(&file).unwrap();
    let plan = look.finish().unwrap();
    let budget = syclscope_engine::budget::Budget::unlimited();
    let mut cutting = cut::Cutting::new(&plan, Format::Perfetto, Box::new(&mut copy), budget);
    cutting.feed(&file).unwrap();
    cutting.finish().unwrap().unwrap();
    let mut log = Log::default();
    import::read(&copy, &mut log).unwrap();
    assert_eq!(log.0.iter().filter(|line| line.contains("StackFrame")).count(), 4, "frames 1, 3, 5 and 6");
    let trace = import::open(&copy).unwrap();
    assert_eq!(
        tree(&trace, CallWeight::Device),
        "_start×1 45 (0) main×1 45 (0) step×1 45 (0) kernel×1 45 (45) "
    );
}

#[test]
fn a_finding_names_the_callers_of_its_place() {
    let mut run = Run::new(QueueOrder::InOrder);
    frames(&mut |event| run.event(event));
    let location = SourceLocation { function: "step", file: "rod.cpp", line: 31, column: 0 };
    for round in 0..20 {
        let at = 10_000 + round * 20_000;
        run.kernel(at, (at + 3_000, at + 8_000));
        let args = [(CALL_STACK, Value::Uint(6))];
        run.slice_at(location, Category::Wait, "queue.wait", (at + 2_000, at + 9_000), None, &args);
    }
    let trace = run.trace();
    let findings = trace.report().findings;
    let of_place =
        findings.iter().find(|finding| finding.location.as_ref().is_some_and(|location| location.line == 31));
    let evidence = &of_place.unwrap_or_else(|| panic!("{findings:?}")).evidence;
    assert!(
        evidence.iter().any(|line| line == "rod.cpp:31, called from main() at rod.cpp:72"),
        "{evidence:?}"
    );
}
