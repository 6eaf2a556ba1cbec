//! Recordings of hostile shapes: each has a size in one way, and is small in all others.

use std::fmt::Write as _;

use syclscope_language::event::{
    Accessor, Allocation, AllocationKind, Category, CommandGraph, CounterSample, Device, Edge, EdgeReason,
    Event, EventSink, Execution, Fact, FactKind, GraphChange, GraphChangeKind, GraphCommand, GraphRun,
    HandleDirection, Instant, MemoryObject, NativeHandle, NativeHandleRelease, Node, NodeKind, ObjectBinding,
    ObjectDestroy, ObjectKind, Ownership, Process, Queue, QueueOrder, Release, SliceBegin, SliceEnd,
    SourceFile, SourceLocation, SourceState, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

/// Writes a recording of a size.
pub(crate) type Shape = (&'static str, fn(&mut Recording<'_>, u64));

/// Every shape.
pub(crate) const SHAPES: &[Shape] = &[
    ("many edges to one node", |run, n| star(run, n, true)),
    ("many edges from one node", |run, n| star(run, n, false)),
    ("edges to two nodes by turns, each by a buffer of its own", hubs),
    ("one chain", chain),
    ("one chain on many queues", many_queues),
    ("everything before everything else, in layers", layers),
    ("commands that all overlap", overlapping),
    ("commands that all start and end at one time", at_once),
    ("one buffer, touched by all", |run, n| touched(run, n, false)),
    ("a buffer for each command", |run, n| touched(run, n, true)),
    ("one command with many accessors", accessors),
    ("calls within calls", |run, n| nested(run, n, Category::Call)),
    ("slices of the program's within each other", |run, n| nested(run, n, Category::User)),
    ("waits within waits", |run, n| nested(run, n, Category::Wait)),
    ("calls within calls, with native calls inside", native_calls),
    ("many threads with a slice each", threads),
    ("many tracks within tracks", |run, n| groups(run, n, true)),
    ("many tracks within one", |run, n| groups(run, n, false)),
    ("many processes", processes),
    ("many waits", |run, n| waits(run, n, 1)),
    ("many waits at many places", |run, n| waits(run, n, n)),
    ("waits for many commands each", long_waits),
    ("many allocations, never released", |run, n| allocations(run, n, Life::Endless)),
    ("many allocations, one after the other", |run, n| allocations(run, n, Life::Short)),
    ("many allocations, released in their order", |run, n| allocations(run, n, Life::FirstIn)),
    ("many allocations, the last released first", |run, n| allocations(run, n, Life::LastIn)),
    ("many allocations that overlap", |run, n| allocations(run, n, Life::Overlapping)),
    ("many allocations at many places", |run, n| allocations(run, n, Life::Scattered)),
    ("many copies between the same places", |run, n| copies(run, n, 1)),
    ("many copies between places of their own", |run, n| copies(run, n, n)),
    ("many buffers, alive at one time", |run, n| objects(run, n, true)),
    ("many buffers at one address", |run, n| objects(run, n, false)),
    ("many bindings of one buffer", bindings),
    ("one handle, given often and used often", |run, n| handles(run, n, 1)),
    ("many handles", |run, n| handles(run, n, n)),
    ("one command graph with many commands", |run, n| graphs(run, 1, n, 1)),
    ("one command graph with many runs", |run, n| graphs(run, 1, 2, n)),
    ("many command graphs at many places", |run, n| graphs(run, n / 4, 1, 1)),
    ("one call with many arguments", arguments),
    ("many names", names),
    ("many devices and facts", machine),
    ("one long source file", source),
    ("counters", counters),
    ("small kernels of many names", |run, n| launches(run, n, 50)),
    ("findings at many places", places_with_findings),
    ("host accessors", host_accessors),
];

/// Where a recording goes, with what most shapes need.
pub(crate) struct Recording<'s> {
    sink: &'s mut dyn EventSink,
    node: u64,
}

const KIB: u64 = 1024;
const DEVICE_MEMORY: u64 = 0x1_0000_0000;
const HOST_MEMORY: u64 = 0x9_0000_0000;

fn place(line: u64) -> SourceLocation<'static> {
    SourceLocation { function: "main", file: "main.cpp", line: line as u32, column: 0 }
}

impl<'s> Recording<'s> {
    /// A process with one thread, and an in-order and another queue.
    pub(crate) fn new(sink: &'s mut dyn EventSink) -> Self {
        let mut run = Self { sink, node: 0 };
        run.process(1);
        run.queue(1, QueueOrder::InOrder);
        run.queue(2, QueueOrder::OutOfOrder);
        run
    }

    fn event(&mut self, event: Event<'_>) {
        self.sink.event(&event);
    }

    pub(crate) fn finish(mut self) {
        self.event(Event::Finish { at: Timestamp(1 << 40) });
    }

    fn process(&mut self, pid: u64) {
        let process =
            Process { pid: pid as u32, name: "program", recorder: "syclscope 0.1.0", ..Process::default() };
        self.event(Event::Process(process));
        self.track(pid * 1_000_000, None, TrackKind::Process, 0);
        self.track(pid, Some(pid * 1_000_000), TrackKind::Thread, pid as u32);
    }

    fn track(&mut self, track: u64, parent: Option<u64>, kind: TrackKind, tid: u32) {
        self.event(Event::Track(Track { track, parent, kind, name: "track", tid }));
    }

    fn queue(&mut self, queue: u64, order: QueueOrder) {
        self.event(Event::Queue(Queue {
            queue,
            at: Timestamp(0),
            runtime_id: queue,
            handle: 0xa000 + queue,
            order,
            device: "device",
            device_type: "GPU",
            device_handle: 0xd000 + queue,
            context: 0xc000 + queue,
        }));
    }

    fn slice(
        &mut self,
        category: Category,
        name: &str,
        span: (u64, u64),
        node: Option<u64>,
        args: &[(&str, Value<'_>)],
    ) {
        self.begin(1, category, name, span.0, node, args, 90);
        self.event(Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(span.1), args: &[] }));
    }

    #[expect(clippy::too_many_arguments, reason = "they are those of the event")]
    fn begin(
        &mut self,
        track: u64,
        category: Category,
        name: &str,
        at: u64,
        node: Option<u64>,
        args: &[(&str, Value<'_>)],
        line: u64,
    ) {
        let location = place(line);
        self.event(Event::SliceBegin(SliceBegin {
            track,
            at: Timestamp(at),
            category,
            name,
            node,
            location,
            args,
        }));
    }

    fn end(&mut self, track: u64, at: u64) {
        self.event(Event::SliceEnd(SliceEnd { track, at: Timestamp(at), args: &[] }));
    }

    /// A command that is submitted within 10 ns and runs.
    fn command(&mut self, kind: NodeKind, name: &str, queue: u64, at: u64, ran: (u64, u64)) -> u64 {
        self.command_at(kind, name, queue, at, ran, 10)
    }

    fn command_at(
        &mut self,
        kind: NodeKind,
        name: &str,
        queue: u64,
        at: u64,
        ran: (u64, u64),
        line: u64,
    ) -> u64 {
        self.node += 1;
        let (node, location) = (self.node, place(line));
        self.event(Event::Node(Node {
            node,
            at: Timestamp(at),
            kind,
            name,
            queue: Some(queue),
            tid: 1,
            location,
            args: &[],
        }));
        self.slice(Category::Submission, name, (at, at + 10), Some(node), &[]);
        self.event(Event::Execution(Execution {
            node,
            queue,
            kind,
            name,
            queued: None,
            submitted: Some(Timestamp(at + 5)),
            start: Timestamp(ran.0),
            end: Timestamp(ran.1),
            args: &[],
        }));
        node
    }

    fn kernel(&mut self, queue: u64, at: u64, ran: (u64, u64)) -> u64 {
        self.command(NodeKind::Kernel, "kernel", queue, at, ran)
    }

    fn edge(&mut self, source: u64, target: u64, object: u64) {
        let reason = if object == 0 { EdgeReason::Event } else { EdgeReason::Accessor };
        let access_mode = if object == 0 { "" } else { "read_write" };
        self.event(Event::Edge(Edge {
            at: Timestamp(0),
            source,
            target,
            reason,
            access_mode,
            memory_object: object,
        }));
    }

    fn object(&mut self, object: u64, address: u64, at: u64) {
        self.event(Event::MemoryObject(MemoryObject {
            object,
            at: Timestamp(at),
            kind: ObjectKind::Buffer,
            address,
            host_pointer: HOST_MEMORY + object * KIB,
            element_type: "float",
            element_size_bytes: 4,
            dimensions: 1,
            range_0: 16,
            tid: 1,
            location: place(object % 7),
            ..MemoryObject::default()
        }));
    }

    fn accessor(&mut self, object: u64, address: u64, at: u64, node: u64) {
        self.event(Event::Accessor(Accessor {
            object,
            at: Timestamp(at),
            address,
            target: "device",
            mode: "read_write",
            node: Some(node),
            tid: 1,
            location: place(3),
            ..Accessor::default()
        }));
    }

    fn allocate(&mut self, at: u64, pointer: u64, size_bytes: u64, kind: AllocationKind, line: u64) {
        self.event(Event::Allocation(Allocation {
            at: Timestamp(at),
            pointer,
            size_bytes,
            kind,
            guard_bytes: 0,
            device: "device",
            tid: 1,
            location: place(line),
        }));
    }

    fn release(&mut self, at: u64, pointer: u64) {
        self.event(Event::Release(Release { at: Timestamp(at), pointer, tid: 1 }));
    }
}

/// Commands one after the other, all before the last or after the first, each by a buffer of its own.
fn star(run: &mut Recording<'_>, n: u64, is_in: bool) {
    for object in 1..=n {
        run.object(object, 0x5000 + object * 64, 0);
    }
    for at in 1..=n + 1 {
        run.kernel(1, at * 100, (n * 100 + at * 100, n * 100 + at * 100 + 90));
    }
    for at in 1..=n {
        let (source, target) = if is_in { (at, n + 1) } else { (1, at + 1) };
        run.edge(source, target, 0x5000 + at * 64);
    }
}

fn hubs(run: &mut Recording<'_>, n: u64) {
    for object in 1..=n {
        run.object(object, 0x5000 + object * 64, 0);
    }
    let count = 20;
    for at in 1..=count {
        run.kernel(1, at * 100, (1_000_000 + at * 100, 1_000_000 + at * 100 + 90));
    }
    for edge in 0..n {
        let target = 2 + edge % (count - 1);
        run.edge(target - 1, target, 0x5000 + (edge + 1) * 64);
    }
}

fn chain(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(2, at * 100, (at * 100 + 20, at * 100 + 90));
        if at > 1 {
            run.edge(at - 1, at, 0);
        }
    }
}

fn many_queues(run: &mut Recording<'_>, n: u64) {
    for queue in 3..n + 3 {
        run.queue(queue, QueueOrder::InOrder);
    }
    for at in 1..=n {
        run.kernel(at + 2, at * 100, (at * 100 + 20, at * 100 + 90));
        if at > 1 {
            run.edge(at - 1, at, 0);
        }
    }
}

fn layers(run: &mut Recording<'_>, n: u64) {
    // So many edges, of few commands.
    let width = n.isqrt();
    for at in 0..width * 4 {
        run.kernel(2, at * 100, (at * 100 + 20, at * 100 + 150));
    }
    for layer in 1..4 {
        for source in 0..width {
            for target in 0..width {
                run.edge((layer - 1) * width + source + 1, layer * width + target + 1, 0);
            }
        }
    }
}

fn overlapping(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(2, at * 20, (n * 20 + at, n * 40 + at));
    }
}

fn at_once(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(2, 10, (1_000, 2_000));
        if at > 1 {
            run.edge(at - 1, at, 0);
        }
    }
}

fn touched(run: &mut Recording<'_>, n: u64, is_own: bool) {
    for object in 1..=if is_own { n } else { 1 } {
        run.object(object, 0x5000 + object * 64, 0);
    }
    for at in 1..=n {
        let object = if is_own { at } else { 1 };
        let node = run.kernel(1, at * 100, (n * 100 + at * 100, n * 100 + at * 100 + 90));
        run.accessor(object, 0x5000 + object * 64, at * 100, node);
        if at > 1 {
            run.edge(at - 1, at, 0x5000 + object * 64);
        }
    }
}

fn accessors(run: &mut Recording<'_>, n: u64) {
    for object in 1..=n {
        run.object(object, 0x5000 + object * 64, 0);
    }
    for at in 1..=8 {
        let node = run.kernel(1, at * 100, (1_000 + at * 100, 1_000 + at * 100 + 90));
        for object in (1..=n).filter(|object| object % 8 == at % 8 || at == 1) {
            run.accessor(object, 0x5000 + object * 64, at * 100, node);
        }
    }
}

fn nested(run: &mut Recording<'_>, n: u64, category: Category) {
    run.kernel(1, 0, (10, n * 4));
    for at in 0..n {
        run.begin(1, category, "f", 20 + at, None, &[], 5);
    }
    for at in 0..n {
        run.end(1, 20 + n + at);
    }
    run.kernel(1, 20 + n * 3, (n * 4, n * 5));
}

fn native_calls(run: &mut Recording<'_>, n: u64) {
    for at in 0..n / 2 {
        run.begin(1, Category::Call, "urContextCreate", 20 + at, None, &[], 5);
    }
    let args = [("handle", Value::Pointer(0xbeef))];
    run.begin(1, Category::User, "mine", 20 + n, None, &[], 5);
    for at in 0..n / 2 {
        run.slice(Category::Native, "zeContextDestroy", (20 + n + at * 2, 20 + n + at * 2 + 1), None, &args);
        handle(run, 20 + n + at * 2, 0x1000 + at, 0xbeef);
    }
    run.end(1, 21 + n * 3);
    for at in 0..n / 2 {
        run.end(1, 22 + n * 3 + at);
    }
}

fn threads(run: &mut Recording<'_>, n: u64) {
    let args = [("handle", Value::Pointer(0xbeef))];
    handle(run, 1, 0x1000, 0xbeef);
    for thread in 2..n {
        run.track(thread, Some(1_000_000), TrackKind::Thread, thread as u32);
        run.begin(thread, Category::Native, "zeContextCreate", thread, None, &args, 5);
        run.end(thread, n * 2 - thread);
    }
    run.kernel(1, n * 3, (n * 4, n * 5));
}

fn groups(run: &mut Recording<'_>, n: u64, is_deep: bool) {
    for track in 2..n {
        let parent = if is_deep { track - 1 } else { 1_000_000 };
        run.track(track, Some(parent), TrackKind::Other, 0);
        run.begin(track, Category::User, "f", track * 10, None, &[], 5);
        run.end(track, track * 10 + 5);
    }
}

fn processes(run: &mut Recording<'_>, n: u64) {
    for pid in 2..n / 4 {
        run.process(pid);
        run.begin(pid, Category::User, "f", pid * 10, None, &[], 5);
        run.end(pid, pid * 10 + 5);
        run.queue(pid + 1, QueueOrder::InOrder);
        run.kernel(pid + 1, pid * 100, (pid * 100 + 20, pid * 100 + 90));
    }
}

fn waits(run: &mut Recording<'_>, n: u64, places: u64) {
    for at in 1..=n {
        let begun = at * 1_000;
        let node = run.kernel(1, begun, (begun + 100, begun + 500));
        run.begin(
            1,
            Category::Wait,
            "queue.wait",
            begun + 20,
            Some(node),
            &[("queue", Value::Uint(1))],
            90 + at % places,
        );
        run.end(1, begun + 510);
    }
}

fn long_waits(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(1 + at % 2, at * 100, (n * 100 + at * 100, n * 100 + at * 100 + 90));
    }
    for wait in 0..n / 8 {
        let begun = n * 100 + wait * 800;
        run.slice(Category::Wait, "queue.wait", (begun, begun + 700), None, &[("queue", Value::Uint(1))]);
    }
    run.slice(Category::Wait, "wait_and_throw", (n * 300, n * 301), None, &[]);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Endless,
    Short,
    FirstIn,
    LastIn,
    Overlapping,
    Scattered,
}

fn allocations(run: &mut Recording<'_>, n: u64, life: Life) {
    run.kernel(1, 0, (10, 100));
    for at in 1..=n {
        let begun = at * 100;
        let (pointer, line) = match life {
            Life::Short => (DEVICE_MEMORY, 5),
            Life::Overlapping => (DEVICE_MEMORY + at, 5),
            Life::Scattered => (DEVICE_MEMORY + at * KIB, at),
            _ => (DEVICE_MEMORY + at * KIB, 5),
        };
        run.slice(Category::Memory, "malloc_device", (begun, begun + 20), None, &[]);
        run.allocate(
            begun + 20,
            pointer,
            KIB / 2,
            if at % 2 == 0 { AllocationKind::Device } else { AllocationKind::Shared },
            line,
        );
        if matches!(life, Life::Short | Life::Scattered) {
            run.slice(Category::Memory, "free", (begun + 30, begun + 40), None, &[]);
            run.release(begun + 40, pointer);
        }
    }
    for at in 1..=n {
        match life {
            Life::FirstIn => run.release((n + at) * 100, DEVICE_MEMORY + at * KIB),
            Life::LastIn => run.release((n + at) * 100, DEVICE_MEMORY + (n + 1 - at) * KIB),
            Life::Overlapping => run.release((n + at) * 100, DEVICE_MEMORY + at),
            _ => {}
        }
    }
    run.kernel(1, n * 200 + 500, (n * 200 + 600, n * 200 + 700));
}

fn copies(run: &mut Recording<'_>, n: u64, places: u64) {
    run.allocate(1, DEVICE_MEMORY, 1 << 30, AllocationKind::Device, 5);
    for at in 1..=n {
        let begun = 100 + at * 100;
        let (device, host) = (DEVICE_MEMORY + at % places * 64, HOST_MEMORY + at % places * 64);
        let node = run.command(NodeKind::Copy, "copy", 1, begun, (begun + 50, begun + 90));
        let (to, from) = if at % 2 == 0 { (device, host) } else { (host, device) };
        let args = [("pDst", Value::Pointer(to)), ("pSrc", Value::Pointer(from)), ("size", Value::Uint(64))];
        run.slice(Category::Call, "urEnqueueUSMMemcpy", (begun + 11, begun + 20), Some(node), &args);
    }
}

fn objects(run: &mut Recording<'_>, n: u64, is_alive: bool) {
    for object in 1..=n {
        let address = if is_alive { 0x5000 + object * 64 } else { 0x5000 };
        run.object(object, address, object * 100);
        run.event(Event::ObjectBinding(ObjectBinding {
            object,
            at: Timestamp(object * 100 + 5),
            handle: 0x8_0000 + object,
            is_bound: true,
        }));
        let node = run.kernel(1, object * 100 + 10, (object * 100 + 30, object * 100 + 70));
        run.accessor(object, address, object * 100 + 12, node);
        if !is_alive {
            run.event(Event::ObjectDestroy(ObjectDestroy { object, at: Timestamp(object * 100 + 95) }));
        }
    }
}

fn bindings(run: &mut Recording<'_>, n: u64) {
    run.object(1, 0x5000, 1);
    for at in 1..=n {
        for is_bound in [true, false] {
            let at = Timestamp(at * 100 + if is_bound { 0 } else { 50 });
            run.event(Event::ObjectBinding(ObjectBinding {
                object: 1,
                at,
                handle: 0x8_0000 + at.0 / 100 % 9,
                is_bound,
            }));
        }
        let name = "Memory Transfer (Copy)";
        run.command(NodeKind::Copy, name, 1, at * 100 + 10, (at * 100 + 30, at * 100 + 40));
    }
}

fn handle(run: &mut Recording<'_>, at: u64, handle: u64, native: u64) {
    run.event(Event::NativeHandle(NativeHandle {
        at: Timestamp(at),
        object: "context",
        handle,
        native,
        direction: HandleDirection::Enters,
        ownership: if handle % 2 == 0 { Ownership::Keep } else { Ownership::Transfer },
        tid: 1,
        location: place(8),
    }));
}

fn handles(run: &mut Recording<'_>, n: u64, natives: u64) {
    for at in 1..=n {
        let (begun, native) = (at * 100, 0x7000 + at % natives);
        handle(run, begun, 0x1_0000 + at, native);
        run.slice(
            Category::Native,
            "zeContextGetStatus",
            (begun + 10, begun + 20),
            None,
            &[("hContext", Value::Pointer(native))],
        );
        run.event(Event::NativeHandleRelease(NativeHandleRelease {
            at: Timestamp(begun + 50),
            object: "context",
            handle: 0x1_0000 + at,
            tid: 1,
        }));
    }
    run.kernel(1, n * 100, (n * 110, n * 120));
}

fn graphs(run: &mut Recording<'_>, count: u64, commands: u64, runs: u64) {
    let mut at = 1_000;
    for graph in 1..=count {
        run.event(Event::CommandGraph(CommandGraph {
            graph,
            at: Timestamp(at),
            group: graph,
            handle: 0x5000 + graph,
            tid: 1,
            location: place(graph),
            ..CommandGraph::default()
        }));
        for position in 0..commands {
            run.node += 1;
            let node = run.node;
            at += 10;
            run.event(Event::Node(Node {
                node,
                at: Timestamp(at),
                kind: NodeKind::Kernel,
                name: "kernel",
                queue: None,
                tid: 1,
                location: place(7),
                args: &[],
            }));
            run.event(Event::GraphCommand(GraphCommand {
                graph,
                at: Timestamp(at),
                position,
                node,
                sync_point: Some(position + 1),
            }));
            if position > 0 {
                run.event(Event::Edge(Edge {
                    at: Timestamp(at),
                    source: node - 1,
                    target: node,
                    reason: EdgeReason::SyncPoint,
                    access_mode: "",
                    memory_object: 0,
                }));
            }
        }
        run.event(Event::GraphChange(GraphChange {
            graph,
            at: Timestamp(at + 50),
            change: GraphChangeKind::Finalized,
            args: &[],
        }));
        for _ in 0..runs {
            at += 100;
            let node = run.command(NodeKind::CommandGraph, "graph", 1, at, (at + 20, at + 90));
            run.event(Event::GraphRun(GraphRun { graph, at: Timestamp(at), node }));
        }
    }
}

fn arguments(run: &mut Recording<'_>, n: u64) {
    run.allocate(1, DEVICE_MEMORY, 1 << 30, AllocationKind::Device, 5);
    let names: Vec<String> =
        (0..n).flat_map(|at| [format!("pArgs[{at}].type"), format!("pArgs[{at}].value")]).collect();
    let value = |at: usize| {
        if at % 2 == 0 { Value::Str("POINTER") } else { Value::Pointer(DEVICE_MEMORY + at as u64) }
    };
    let args: Vec<(&str, Value<'_>)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), value(at))).collect();
    for at in 1..=4 {
        let node = run.kernel(1, at * 100, (1_000 + at * 100, 1_000 + at * 100 + 90));
        run.slice(Category::Call, "urEnqueueKernelLaunch", (at * 100 + 11, at * 100 + 20), Some(node), &args);
        run.slice(
            Category::Native,
            "zeCommandListAppendLaunchKernel",
            (at * 100 + 31, at * 100 + 40),
            Some(node),
            &args,
        );
        handle(run, at * 100, at, DEVICE_MEMORY + at);
    }
}

fn names(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        let name = format!("kernel<{at}, void (*)(float*, int)>");
        run.command(NodeKind::Kernel, &name, 1, at * 100, (at * 100 + 20, at * 100 + 90));
    }
}

fn machine(run: &mut Recording<'_>, n: u64) {
    for device in 1..=n {
        let at = Timestamp(0);
        run.event(Event::Device(Device {
            device,
            at,
            name: "device",
            handle: 0xe000 + device,
            device_type: "GPU",
            ..Device::default()
        }));
        let name = format!("NAME_{device}");
        run.event(Event::Fact(Fact { at, kind: FactKind::Environment, name: &name, value: "value" }));
    }
    run.kernel(1, 100, (200, 400));
}

fn source(run: &mut Recording<'_>, n: u64) {
    let mut text = String::new();
    for line in 0..n {
        let _ = writeln!(text, "line {line};");
    }
    let (at, size_bytes) = (Timestamp(0), text.len() as u64);
    run.event(Event::SourceFile(SourceFile {
        at,
        name: "main.cpp",
        state: SourceState::Whole,
        sha256: "",
        size_bytes,
        text: &text,
    }));
    for at in 1..=n {
        run.command_at(NodeKind::Kernel, "kernel", 1, at * 100, (at * 100 + 20, at * 100 + 90), at);
    }
}

fn counters(run: &mut Recording<'_>, n: u64) {
    run.track(7, Some(1_000_000), TrackKind::Counter, 0);
    for at in 0..n {
        run.event(Event::Counter(CounterSample { track: 7, at: Timestamp(at * 10), value: at as f64 }));
        run.event(Event::Instant(Instant {
            track: 1,
            at: Timestamp(at * 10),
            category: Category::Signal,
            name: "signal",
            node: None,
            location: place(1),
            args: &[],
        }));
    }
}

fn launches(run: &mut Recording<'_>, n: u64, each: u64) {
    for at in 0..n {
        let name = format!("kernel {}", at / each);
        run.command(NodeKind::Kernel, &name, 1, at * 100, (at * 100 + 50, at * 100 + 51));
    }
}

/// Places that each could have idle time, all the same.
fn places_with_findings(run: &mut Recording<'_>, n: u64) {
    for at in 0..n {
        // A place's eight waits are spread over the whole run.
        let (begun, line) = (at * 10_000, 10 + at % (n / 8));
        let node = run.command_at(NodeKind::Kernel, "kernel", 1, begun, (begun + 100, begun + 500), line);
        run.begin(
            1,
            Category::Wait,
            "queue.wait",
            begun + 20,
            Some(node),
            &[("queue", Value::Uint(1))],
            line,
        );
        run.end(1, begun + 2_000);
    }
}

fn host_accessors(run: &mut Recording<'_>, n: u64) {
    run.object(1, 0x5040, 0);
    for at in 1..=n {
        let begun = at * 1_000;
        let node = run.kernel(1, begun, (begun + 100, begun + 500));
        run.node += 1;
        let accessor = run.node;
        run.event(Event::Node(Node {
            node: accessor,
            at: Timestamp(begun + 50),
            kind: NodeKind::HostAccessor,
            name: "host accessor",
            queue: None,
            tid: 1,
            location: place(at),
            args: &[],
        }));
        run.edge(node, accessor, 0x5040);
        run.begin(1, Category::Wait, "host_accessor", begun + 60, Some(accessor), &[], at);
        run.end(1, begun + 600);
    }
}
