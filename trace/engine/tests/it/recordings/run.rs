//! Recordings of one thread that submits commands and waits, built command by command.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_engine::merge::merge;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Edge, EdgeReason, Event, EventSink as _, Execution, Node, NodeKind,
    ObjectBinding, Process, Queue, QueueOrder, Release, SliceBegin, SliceEnd, SourceLocation, Track,
    TrackKind, Value,
};
use syclscope_language::time::Timestamp;

pub(crate) fn place(line: u32) -> SourceLocation<'static> {
    SourceLocation { function: "main", file: "main.cpp", line, column: 0 }
}

/// Returns two runs, as the ranks of one program.
pub(crate) fn ranks(run: impl Fn(&mut Run, u32)) -> Trace {
    let files = [0, 1].map(|rank| {
        let (pid, name, rank_count) = (100 + rank, "program", Some(2));
        let process = Process { pid, name, rank: Some(rank), rank_count, ..Process::default() };
        let mut of_rank = Run { file: Some(perfetto::Writer::default()), ..Run::empty() };
        of_rank.begin(process, QueueOrder::InOrder);
        run(&mut of_rank, rank);
        let mut bytes = Vec::new();
        let mut file = of_rank.file.unwrap();
        file.finish();
        file.drain_into(&mut bytes);
        bytes
    });
    let mut builder = TraceBuilder::new();
    merge(&[("0", files[0].as_slice()), ("1", files[1].as_slice())], &mut builder).unwrap();
    builder.build()
}

/// A command of a simulated run; times in ns.
pub(crate) struct Command<'a> {
    pub(crate) node: u64,
    pub(crate) kind: NodeKind,
    pub(crate) name: &'a str,
    pub(crate) queue: u64,
    pub(crate) location: SourceLocation<'a>,
    /// Start and length of its submission.
    pub(crate) at: u64,
    pub(crate) submission_ns: u64,
    /// Time of its submission to the device.
    pub(crate) submitted: Option<u64>,
    pub(crate) ran: (u64, u64),
    pub(crate) args: &'a [(&'a str, Value<'a>)],
}

impl Default for Command<'_> {
    fn default() -> Self {
        let (node, at, submitted, ran, args) = (1, 0, None, (0, 0), &[][..]);
        let (kind, name, queue, location) = (NodeKind::Kernel, "kernel", 1, SourceLocation::default());
        Self { node, kind, name, queue, location, at, submission_ns: 10, submitted, ran, args }
    }
}

/// A run on one thread; a command's number is also its position in the order of creation.
pub(crate) struct Run {
    builder: TraceBuilder,
    node: u64,
    /// A second destination of the events.
    file: Option<perfetto::Writer>,
}

impl Run {
    pub(crate) fn new(order: QueueOrder) -> Self {
        Self::with_name("program", order)
    }

    pub(crate) fn with_name(name: &str, order: QueueOrder) -> Self {
        Self::of_process(Process { pid: 1, name, ..Process::default() }, order)
    }

    pub(crate) fn of_process(process: Process<'_>, order: QueueOrder) -> Self {
        let mut run = Self::empty();
        run.begin(process, order);
        run
    }

    fn empty() -> Self {
        Self { builder: TraceBuilder::new(), node: 0, file: None }
    }

    fn begin(&mut self, process: Process<'_>, order: QueueOrder) {
        self.event(&Event::Process(process));
        self.event(&Event::Track(Track {
            track: 1,
            parent: None,
            kind: TrackKind::Thread,
            name: "main",
            tid: 1,
        }));
        self.queue(1, order, 0xd1, "CPU");
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        self.builder.event(event);
        if let Some(file) = &mut self.file {
            file.event(event);
        }
    }

    pub(crate) fn queue(&mut self, queue: u64, order: QueueOrder, device_handle: u64, device_type: &str) {
        self.event(&Event::Queue(Queue {
            queue,
            at: Timestamp(0),
            runtime_id: queue,
            handle: 0xa0 + queue,
            order,
            device: "device",
            device_type,
            device_handle,
            context: 0xc,
        }));
    }

    pub(crate) fn slice(
        &mut self,
        category: Category,
        name: &str,
        from: u64,
        to: u64,
        node: Option<u64>,
        args: &[(&str, Value<'_>)],
    ) {
        let location = if category == Category::Wait { place(90) } else { SourceLocation::default() };
        self.slice_at(location, category, name, (from, to), node, args);
    }

    pub(crate) fn slice_at(
        &mut self,
        location: SourceLocation<'_>,
        category: Category,
        name: &str,
        (from, to): (u64, u64),
        node: Option<u64>,
        args: &[(&str, Value<'_>)],
    ) {
        let begin = SliceBegin { track: 1, at: Timestamp(from), category, name, node, location, args };
        self.event(&Event::SliceBegin(begin));
        self.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(to), args: &[] }));
    }

    pub(crate) fn wait_for_queue(&mut self, queue: u64, from: u64, to: u64) {
        self.slice(Category::Wait, "queue.wait", from, to, None, &[("queue", Value::Uint(queue))]);
    }

    pub(crate) fn submit(&mut self, command: Command<'_>) {
        let Command { node, kind, name, queue, location, at, submission_ns, .. } = command;
        let made =
            Node { node, at: Timestamp(at), kind, name, queue: Some(queue), tid: 1, location, args: &[] };
        self.event(&Event::Node(made));
        self.slice(Category::Submission, name, at, at + submission_ns, Some(node), &[]);
        self.ran(command);
    }

    pub(crate) fn ran(&mut self, command: Command<'_>) {
        let Command { node, kind, name, queue, submitted, ran, args, .. } = command;
        self.event(&Event::Execution(Execution {
            node,
            queue,
            kind,
            name,
            queued: None,
            submitted: submitted.map(Timestamp),
            start: Timestamp(ran.0),
            end: Timestamp(ran.1),
            args,
        }));
    }

    pub(crate) fn next_node(&mut self) -> u64 {
        self.node += 1;
        self.node
    }

    /// Adds a command that is submitted in [at, at + 2000) and runs in `ran`; returns its number.
    pub(crate) fn command(&mut self, kind: NodeKind, queue: u64, at: u64, ran: (u64, u64)) -> u64 {
        let (node, name, location) = (self.next_node(), kind.as_str(), place(kind as u32 + 10));
        self.submit(Command {
            node,
            kind,
            name,
            queue,
            location,
            at,
            submission_ns: 2_000,
            ran,
            ..Command::default()
        });
        node
    }

    pub(crate) fn kernel(&mut self, at: u64, ran: (u64, u64)) -> u64 {
        self.command(NodeKind::Kernel, 1, at, ran)
    }

    pub(crate) fn copy(&mut self, at: u64, ran: (u64, u64), from: u64, to: u64, size: u64) {
        let node = self.command(NodeKind::Copy, 1, at, ran);
        let args =
            [("pDst", Value::Pointer(to)), ("pSrc", Value::Pointer(from)), ("size", Value::Uint(size))];
        self.slice(Category::Call, "urEnqueueUSMMemcpy", at + 10, at + 20, Some(node), &args);
    }

    pub(crate) fn allocate(&mut self, at: u64, pointer: u64, size_bytes: u64, kind: AllocationKind) {
        self.event(&Event::Allocation(Allocation {
            at: Timestamp(at),
            pointer,
            size_bytes,
            kind,
            guard_bytes: 0,
            device: "",
            tid: 1,
            location: place(5),
        }));
    }

    pub(crate) fn release(&mut self, at: u64, pointer: u64) {
        self.event(&Event::Release(Release { at: Timestamp(at), pointer, tid: 1 }));
    }

    /// Adds a command of the host that has no execution; returns its number.
    pub(crate) fn node(&mut self, kind: NodeKind, at: u64) -> u64 {
        self.node += 1;
        let (node, name) = (self.node, kind.as_str());
        self.event(&Event::Node(Node {
            node,
            at: Timestamp(at),
            kind,
            name,
            queue: None,
            tid: 1,
            location: place(kind as u32 + 10),
            args: &[],
        }));
        node
    }

    /// Adds a command on a queue whose device time is unknown.
    pub(crate) fn untimed(&mut self, kind: NodeKind, queue: u64, at: u64) {
        let (node, name, location) = (self.next_node(), kind.as_str(), place(kind as u32 + 10));
        let (at, queue) = (Timestamp(at), Some(queue));
        self.event(&Event::Node(Node { node, at, kind, name, queue, tid: 1, location, args: &[] }));
    }

    pub(crate) fn bind(&mut self, object: u64, handle: u64, at: u64) {
        self.event(&Event::ObjectBinding(ObjectBinding {
            object,
            at: Timestamp(at),
            handle,
            is_bound: true,
        }));
    }

    pub(crate) fn accessor_edge(&mut self, source: u64, target: u64, memory_object: u64) {
        self.edge_by(source, target, EdgeReason::Accessor, "read_write", memory_object);
    }

    pub(crate) fn edge(&mut self, source: u64, target: u64, reason: EdgeReason) {
        self.edge_by(source, target, reason, "", 0);
    }

    pub(crate) fn edge_by(&mut self, source: u64, target: u64, reason: EdgeReason, mode: &str, object: u64) {
        let (at, access_mode, memory_object) = (Timestamp(0), mode, object);
        self.event(&Event::Edge(Edge { at, source, target, reason, access_mode, memory_object }));
    }

    pub(crate) fn trace(self) -> Trace {
        self.builder.build()
    }
}
