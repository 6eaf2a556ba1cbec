//! The events of a recording, from recorder to exporter and from importer to builder.
//!
//! Every event borrows its texts, so that a recorder can stream without allocating. The order of events is the order in
//! a file: a [`Track`] precedes its events, a [`Node`] its edges and executions. `docs/FORMAT.md` describes each event
//! in a Perfetto and in a Chrome JSON file.

mod command_graph;
mod cost;
mod flow;
mod kinds;
mod machine;
mod native;
mod objects;
mod stack;

pub use command_graph::{CommandGraph, GraphChange, GraphCommand, GraphRun};
pub use cost::{Cost, Notified};
pub use flow::{Flow, TrackOrder};
pub use kinds::Kind;
pub use kinds::{
    AllocationKind, Category, EdgeReason, FactKind, FlowBinding, FlowStep, FrameKind, GraphChangeKind,
    HandleDirection, NoTime, NodeKind, ObjectKind, Ownership, QueueOrder, SourceState, TrackKind,
};
pub use machine::{Device, DeviceClock, Fact, Pause, SourceFile};
pub use native::{NativeHandle, NativeHandleRelease};
pub use objects::{Accessor, MemoryObject, ObjectBinding, ObjectDestroy};
pub use stack::{CALL_STACK, Sample, StackFrame};

use crate::time::Timestamp;

/// A typed argument of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text.
    Str(&'a str),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating point number.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// An address or a native handle.
    Pointer(u64),
}

/// Named arguments, in display order.
pub type Args<'a> = &'a [(&'a str, Value<'a>)];

/// A source location. Empty texts and zero mean unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceLocation<'a> {
    /// The enclosing function.
    pub function: &'a str,
    /// Path of the file as given to the compiler.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; compilers other than DPC++ give 0.
    pub column: u32,
}

impl SourceLocation<'_> {
    /// True if the location is completely unknown.
    pub fn is_unknown(&self) -> bool {
        self.file.is_empty() && self.function.is_empty()
    }
}

/// Facts of the recorded process; the first event of a recording.
///
/// A file with several processes has one of these at the start of each process's part, and later events belong to it.
/// Ids are unique in the file, and times count from the first process's start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Process<'a> {
    /// Process id on its host.
    pub pid: u32,
    /// Name, usually the program's file name.
    pub name: &'a str,
    /// Command line, with arguments joined by spaces.
    pub command_line: &'a str,
    /// Host name.
    pub host: &'a str,
    /// Wall-clock time of the start of its recording: nanoseconds since 1970-01-01 UTC.
    pub start_unix_ns: u64,
    /// `CLOCK_MONOTONIC` at the start of its recording, in nanoseconds; timestamps in a Perfetto file are on the first
    /// process's clock.
    pub start_monotonic_ns: u64,
    /// Start of its recording on the trace's clock: 0 unless others started before it.
    pub start_ns: u64,
    /// Time on the trace's clock from which the file has its events, if it lacks earlier ones.
    pub from_ns: Option<u64>,
    /// Recorder with its version.
    pub recorder: &'a str,
    /// Rank, if an MPI launcher started the process.
    pub rank: Option<u32>,
    /// Number of ranks, if known.
    pub rank_count: Option<u32>,
    /// Rank among the ranks of its host, if known.
    pub local_rank: Option<u32>,
}

impl Process<'_> {
    /// Returns `CLOCK_MONOTONIC` at the trace's start, in nanoseconds.
    pub fn origin_monotonic_ns(&self) -> u64 {
        self.start_monotonic_ns.saturating_sub(self.start_ns)
    }

    /// Returns the wall-clock time of the trace's start, in nanoseconds since 1970-01-01 UTC.
    pub fn origin_unix_ns(&self) -> u64 {
        self.start_unix_ns.saturating_sub(self.start_ns)
    }
}

/// A track of events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track<'a> {
    /// Id of the track in its file.
    pub track: u64,
    /// The parent track group.
    pub parent: Option<u64>,
    /// Kind of content.
    pub kind: TrackKind,
    /// Display name.
    pub name: &'a str,
    /// Operating system's thread id if `kind` is a thread, else 0.
    pub tid: u32,
}

/// A queue, with the track of its executions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue<'a> {
    /// Id of the queue in this recording (the recorder counts from 1).
    pub queue: u64,
    /// Time of its creation.
    pub at: Timestamp,
    /// The runtime's number of the queue (`queue_id`), 0 if unknown.
    pub runtime_id: u64,
    /// Handle of the Unified Runtime.
    pub handle: u64,
    /// In-order or out-of-order.
    pub order: QueueOrder,
    /// Name of its device.
    pub device: &'a str,
    /// Type of its device in the runtime's terms (`CPU`, `GPU`, …).
    pub device_type: &'a str,
    /// Handle of its device.
    pub device_handle: u64,
    /// Handle of its context.
    pub context: u64,
}

/// Start of a slice on a track; slices of one track nest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceBegin<'a> {
    /// Track of the slice.
    pub track: u64,
    /// Start.
    pub at: Timestamp,
    /// Coarse class, used for colour and filter.
    pub category: Category,
    /// Display name.
    pub name: &'a str,
    /// The command that it belongs to.
    pub node: Option<u64>,
    /// Source code that caused it.
    pub location: SourceLocation<'a>,
    /// Arguments known at the start.
    pub args: Args<'a>,
}

/// End of the innermost open slice of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceEnd<'a> {
    /// Track of the slice.
    pub track: u64,
    /// End.
    pub at: Timestamp,
    /// Arguments known only at the end (a result, a pointer).
    pub args: Args<'a>,
}

/// A point event on a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant<'a> {
    /// Track of the event.
    pub track: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Coarse class.
    pub category: Category,
    /// Display name.
    pub name: &'a str,
    /// The command that it belongs to.
    pub node: Option<u64>,
    /// Source code that caused it.
    pub location: SourceLocation<'a>,
    /// Arguments.
    pub args: Args<'a>,
}

/// A command in the task graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<'a> {
    /// Id of the node in this recording: unique over the run, counted from 1 by the recorder. (XPTI's universal ids are
    /// reused while a program runs.)
    pub node: u64,
    /// Time at which the runtime created it.
    pub at: Timestamp,
    /// Kind of work.
    pub kind: NodeKind,
    /// Kernel or command name.
    pub name: &'a str,
    /// Queue it was submitted to.
    pub queue: Option<u64>,
    /// Thread that submitted it.
    pub tid: u32,
    /// Source code that submitted it.
    pub location: SourceLocation<'a>,
    /// The tracepoint's metadata, decoded by type.
    pub args: Args<'a>,
}

/// A dependence: `source` must finish before `target` starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge<'a> {
    /// Time at which the runtime created it.
    pub at: Timestamp,
    /// Node that must finish.
    pub source: u64,
    /// Node that must wait.
    pub target: u64,
    /// Reason.
    pub reason: EdgeReason,
    /// Access mode (`read`, `write`, `read_write`, …), empty if not caused by an accessor.
    pub access_mode: &'a str,
    /// Memory object that carries the dependence, 0 if none.
    pub memory_object: u64,
}

/// One run of a command on its device, from the event's profiling information.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Execution<'a> {
    /// The command.
    pub node: u64,
    /// Its queue.
    pub queue: u64,
    /// Kind of work.
    pub kind: NodeKind,
    /// Kernel or command name.
    pub name: &'a str,
    /// Time at which the command was put on the queue (`CL_PROFILING_COMMAND_QUEUED`), if known.
    pub queued: Option<Timestamp>,
    /// Time at which the host submitted it to the device (`CL_PROFILING_COMMAND_SUBMIT`), if known.
    pub submitted: Option<Timestamp>,
    /// Start on the device.
    pub start: Timestamp,
    /// End on the device; not before `start`.
    pub end: Timestamp,
    /// Arguments: bytes, launch sizes.
    pub args: Args<'a>,
}

/// Start of an allocation's lifetime.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allocation<'a> {
    /// Return of the allocating call.
    pub at: Timestamp,
    /// Address.
    pub pointer: u64,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Bytes of the guard zone around it, 0 if there is none.
    pub guard_bytes: u64,
    /// Name of the device that owns it; empty if unknown.
    pub device: &'a str,
    /// Thread that allocated it.
    pub tid: u32,
    /// Source code that allocated it.
    pub location: SourceLocation<'a>,
}

/// End of an allocation's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Return of the releasing call, or earlier if the address was reused before.
    pub at: Timestamp,
    /// Address.
    pub pointer: u64,
    /// Thread that released it.
    pub tid: u32,
}

/// Value of a counter from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterSample {
    /// Track of kind [`TrackKind::Counter`].
    pub track: u64,
    /// Time from which the value applies.
    pub at: Timestamp,
    /// In the unit of the track's name.
    pub value: f64,
}

/// A command that will have no [`Execution`], with the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Untimed {
    /// The command.
    pub node: u64,
    /// Time of detection.
    pub at: Timestamp,
    /// Reason.
    pub reason: NoTime,
}

/// Kind of [`Dropped`] for commands without device times and without a more specific reason.
pub const NO_DEVICE_TIME: &str = "device_time";

/// Events that the recorder lost, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<'a> {
    /// Time of detection.
    pub at: Timestamp,
    /// Kind of loss (`full_buffer`, `device_time`, …).
    pub kind: &'a str,
    /// Number since the last such event of this kind.
    pub count: u64,
}

/// One event of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// Facts of the process; first.
    Process(Process<'a>),
    /// A track is announced.
    Track(Track<'a>),
    /// A queue was created.
    Queue(Queue<'a>),
    /// A queue was destroyed.
    QueueDestroy {
        /// Time of the event.
        at: Timestamp,
        /// The queue.
        queue: u64,
    },
    /// Start of a slice.
    SliceBegin(SliceBegin<'a>),
    /// End of the innermost slice of a track.
    SliceEnd(SliceEnd<'a>),
    /// An event at a moment.
    Instant(Instant<'a>),
    /// A command was added to the task graph.
    Node(Node<'a>),
    /// A dependence was added to the task graph.
    Edge(Edge<'a>),
    /// A command ran on its device.
    Execution(Execution<'a>),
    /// Memory became live.
    Allocation(Allocation<'a>),
    /// Memory was released.
    Release(Release),
    /// A counter changed.
    Counter(CounterSample),
    /// Events were lost.
    Dropped(Dropped<'a>),
    /// A device of the run.
    Device(Device<'a>),
    /// A device's clock was compared with the host's.
    DeviceClock(DeviceClock),
    /// A fact of the process.
    Fact(Fact<'a>),
    /// A source file named by events.
    SourceFile(SourceFile<'a>),
    /// Recording was paused or resumed.
    Pause(Pause<'a>),
    /// A buffer or image was created.
    MemoryObject(MemoryObject<'a>),
    /// A memory object got or lost its memory in a context.
    ObjectBinding(ObjectBinding),
    /// A buffer or image was destroyed.
    ObjectDestroy(ObjectDestroy),
    /// An accessor was created.
    Accessor(Accessor<'a>),
    /// A command graph, or a partition of one, was created.
    CommandGraph(CommandGraph<'a>),
    /// A command was appended to a command graph.
    GraphCommand(GraphCommand),
    /// A command graph changed.
    GraphChange(GraphChange<'a>),
    /// A command graph was executed.
    GraphRun(GraphRun),
    /// A command has no device times.
    Untimed(Untimed),
    /// A native handle was imported into SYCL or exported from it.
    NativeHandle(NativeHandle<'a>),
    /// The handle of a native object was released.
    NativeHandleRelease(NativeHandleRelease<'a>),
    /// A point of a flow.
    Flow(Flow<'a>),
    /// A frame of call stacks.
    StackFrame(StackFrame<'a>),
    /// A thread of the host was sampled.
    Sample(Sample),
    /// Position of a track among others.
    TrackOrder(TrackOrder),
    /// The recording ended normally; a file with neither this nor [`Event::PartEnd`] was truncated.
    Finish {
        /// Time of the event.
        at: Timestamp,
    },
    /// The file's part of the process ends, and the process goes on: the rest is in another file, or was cut off.
    PartEnd {
        /// Time of the event.
        at: Timestamp,
    },
}

/// Consumer of events: an exporter that encodes them, or the builder of a trace.
pub trait EventSink {
    /// Consumes the next event.
    fn event(&mut self, event: &Event<'_>);
}

impl<S: EventSink + ?Sized> EventSink for &mut S {
    fn event(&mut self, event: &Event<'_>) {
        (**self).event(event);
    }
}
