
use syclscope_language::event::{
    Accessor, Allocation, AllocationKind, Category, Edge, EdgeReason, Event, EventSink, Execution,
    MemoryObject, Node, NodeKind, ObjectKind, Process, Queue, QueueOrder, Release, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

/// Target of a recording, with the objects that most shapes need.
pub(crate) struct Recording<'s> {
    sink: &'s mut dyn EventSink,
    /// Number of the last node.
    pub(crate) node: u64,
}

pub(crate) const KIB: u64 = 1024;
pub(crate) const DEVICE_MEMORY: u64 = 0x1_0000_0000;
pub(crate) const HOST_MEMORY: u64 = 0x9_0000_0000;

pub(crate) fn place(line: u64) -> SourceLocation<'static> {
    SourceLocation { function: "main", file: "main.cpp", line: line as u32, column: 0 }
}

impl<'s> Recording<'s> {
    /// Begins with a process of one thread, an in-order queue and an out-of-order queue.
    pub(crate) fn new(sink: &'s mut dyn EventSink) -> Self {
        let mut run = Self { sink, node: 0 };
        run.process(1);
        run.queue(1, QueueOrder::InOrder);
        run.queue(2, QueueOrder::OutOfOrder);
        run
    }

    pub(crate) fn event(&mut self, event: Event<'_>) {
        self.sink.event(&event);
    }

    pub(crate) fn finish(mut self) {
        self.event(Event::Finish { at: Timestamp(1 << 40) });
    }

    pub(crate) fn process(&mut self, pid: u64) {
        let process =
            Process { pid: pid as u32, name: "program", recorder: "syclscope 0.1.0", ..Process::default() };
        self.event(Event::Process(process));
        self.track(pid * 1_000_000, None, TrackKind::Process, 0);
        self.track(pid, Some(pid * 1_000_000), TrackKind::Thread, pid as u32);
    }

    pub(crate) fn track(&mut self, track: u64, parent: Option<u64>, kind: TrackKind, tid: u32) {
        self.event(Event::Track(Track { track, parent, kind, name: "track", tid }));
    }

    pub(crate) fn queue(&mut self, queue: u64, order: QueueOrder) {
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

    pub(crate) fn slice(
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
    pub(crate) fn begin(
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

    pub(crate) fn end(&mut self, track: u64, at: u64) {
        self.event(Event::SliceEnd(SliceEnd { track, at: Timestamp(at), args: &[] }));
    }

    /// Writes a command that is submitted within 10 ns and runs.
    pub(crate) fn command(
        &mut self,
        kind: NodeKind,
        name: &str,
        queue: u64,
        at: u64,
        ran: (u64, u64),
    ) -> u64 {
        self.command_at(kind, name, queue, at, ran, 10)
    }

    pub(crate) fn command_at(
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

    pub(crate) fn kernel(&mut self, queue: u64, at: u64, ran: (u64, u64)) -> u64 {
        self.command(NodeKind::Kernel, "kernel", queue, at, ran)
    }

    pub(crate) fn edge(&mut self, source: u64, target: u64, object: u64) {
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

    pub(crate) fn object(&mut self, object: u64, address: u64, at: u64) {
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

    pub(crate) fn accessor(&mut self, object: u64, address: u64, at: u64, node: u64) {
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

    pub(crate) fn allocate(
        &mut self,
        at: u64,
        pointer: u64,
        size_bytes: u64,
        kind: AllocationKind,
        line: u64,
    ) {
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

    pub(crate) fn release(&mut self, at: u64, pointer: u64) {
        self.event(Event::Release(Release { at: Timestamp(at), pointer, tid: 1 }));
    }
}
