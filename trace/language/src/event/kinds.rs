//! The closed sets of event properties, each with its text in files, on the wire and on the page.

use serde::{Deserialize, Serialize};

use crate::words::Word;

/// A closed set of words with a value for all others.
pub trait Kind: Word {
    /// Returns the value of a file's text.
    fn of_text(text: &str) -> Self;
}

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ } else $default:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+
            /// Fallback for all other texts.
            #[default]
            #[serde(rename = "other", other)]
            $default,
        }

        impl Word for $name {
            const EXPECTED: &'static str = concat!("one of", $(" ", $text,)+ " other");

            fn all() -> &'static [Self] {
                Self::ALL
            }

            fn word(self) -> &'static str {
                self.as_str()
            }
        }

        impl Kind for $name {
            fn of_text(text: &str) -> Self {
                Self::from_text(text)
            }
        }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+ Self::$default];

            /// Returns its spelling in trace files.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::$default => "other",
                }
            }

            /// Returns the value with this spelling in a trace file; the default for any other text.
            pub fn from_text(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    _ => Self::$default,
                }
            }
        }
    };
}

kinds! {
    /// Kind of a track's content.
    TrackKind {
        /// A recorded process: the group of its threads.
        Process = "process",
        /// A host thread.
        Thread = "thread",
        /// A device: the group of its queues.
        Device = "device",
        /// A queue: executions on the device.
        Queue = "queue",
        /// A counter.
        Counter = "counter",
        /// Events of one XPTI stream: native calls of a thread, or the program's own tracepoints.
        Stream = "stream",
    } else Other
}

kinds! {
    /// Coarse class of a slice or instant. With the name, it determines the colour in the page.
    Category {
        /// Execution of a kernel on a device.
        Kernel = "kernel",
        /// Execution of a copy.
        Copy = "copy",
        /// Execution of a fill.
        Fill = "fill",
        /// Execution of any other command.
        Command = "command",
        /// Host interval in which a command is submitted (`task_begin` … `task_end`).
        Submission = "submission",
        /// The host waits (`wait_begin` … `wait_end`).
        Wait = "wait",
        /// A Unified Runtime call.
        Call = "ur",
        /// Memory is allocated or released.
        Memory = "memory",
        /// The runtime signalled a command's event.
        Signal = "signal",
        /// A diagnostic message: an exception or a warning of the runtime.
        Diagnostic = "diagnostic",
        /// The runtime waits at one of its own barriers (`barrier_begin` … `barrier_end`).
        Barrier = "barrier",
        /// A call of the native API below the Unified Runtime, such as Level Zero or CUDA.
        Native = "native",
        /// A tracepoint in the program itself.
        User = "user",
        /// A notification whose trace type or stream the recorder doesn't know.
        Raw = "raw",
    } else Other
}

kinds! {
    /// Kind of work of a task graph node.
    NodeKind {
        /// A kernel.
        Kernel = "kernel",
        /// A copy between memory objects or pointers.
        Copy = "copy",
        /// A fill or memset.
        Fill = "fill",
        /// Allocation of a buffer's memory.
        Allocation = "allocation",
        /// Creation of a sub-buffer.
        SubBuffer = "sub_buffer",
        /// Release of a buffer's memory.
        Deallocation = "deallocation",
        /// Mapping of a buffer for the host.
        Map = "map",
        /// Unmapping of a buffer.
        Unmap = "unmap",
        /// Host accessor that locks a buffer.
        HostAccessor = "host_accessor",
        /// A host task.
        HostTask = "host_task",
        /// A barrier.
        Barrier = "barrier",
        /// USM prefetch.
        Prefetch = "prefetch",
        /// USM advice.
        Advise = "advise",
        /// Execution of a command graph.
        CommandGraph = "command_graph",
        /// A placeholder for an event created elsewhere.
        Virtual = "virtual",
    } else Other
}

kinds! {
    /// Reason for a dependence.
    EdgeReason {
        /// An accessor to a buffer.
        Accessor = "accessor",
        /// An event that the command depends on (`depends_on`, wait lists).
        Event = "event",
        /// The order of an in-order queue.
        InOrder = "in_order",
        /// A host task.
        HostTask = "host_task",
        /// A host accessor.
        HostAccessor = "host_accessor",
        /// A sync point of a command graph.
        SyncPoint = "sync_point",
    } else Other
}

kinds! {
    /// Kind of an allocation.
    AllocationKind {
        /// USM device allocation.
        Device = "device",
        /// USM host allocation.
        Host = "host",
        /// USM shared allocation.
        Shared = "shared",
        /// Memory of a buffer.
        Buffer = "buffer",
        /// Memory of an image.
        Image = "image",
    } else Other
}

impl AllocationKind {
    /// True for USM, which a program accesses by address.
    pub fn is_usm(self) -> bool {
        matches!(self, Self::Device | Self::Host | Self::Shared)
    }
}

kinds! {
    /// Kind of a SYCL memory object.
    ObjectKind {
        /// `sycl::buffer`
        Buffer = "buffer",
        /// `sycl::image` of SYCL 1.2.1
        Image = "image",
        /// `sycl::sampled_image`
        SampledImage = "sampled_image",
        /// `sycl::unsampled_image`
        UnsampledImage = "unsampled_image",
    } else Other
}

kinds! {
    /// Reason why a command has no device times.
    NoTime {
        /// It had not finished when the program ended.
        Unfinished = "unfinished",
        /// Its queue has no profiling.
        Unprofiled = "unprofiled",
        /// Its device reports no usable times.
        Device = "device",
        /// It was submitted without an event to query.
        NoEvent = "no_event",
        /// Its event could no longer be queried when the program ended.
        Unread = "unread",
        /// The driver's data about it had not been delivered when the program was killed.
        Undelivered = "undelivered",
        /// The driver's data about it may have been lost: a buffer of the recorder was full.
        Lost = "lost",
        /// Another tool in the program consumed the driver's data about it.
        Taken = "taken",
        /// It failed.
        Failed = "failed",
        /// It gave its device no work: a barrier, advice.
        NoWork = "no_work",
    } else Other
}

impl NoTime {
    /// Returns the reason, as text that follows "none: ".
    pub fn words(self) -> &'static str {
        match self {
            Self::Unfinished => "it had not finished when the program ended",
            Self::Unprofiled => "its queue has no profiling",
            Self::Device => "its device reports no usable times",
            Self::NoEvent => "it was submitted without an event that could be asked",
            Self::Unread => "its event could no longer be asked when the program ended",
            Self::Undelivered => "its times had not been delivered when the program was killed",
            Self::Lost => {
                "its times were lost in a full buffer, or it had not finished when the program ended"
            }
            Self::Taken => "another tool took the driver's records of it",
            Self::Failed => "it failed",
            Self::NoWork => "it gave its device nothing to do",
            Self::Other => "the recording does not say why",
        }
    }
}

kinds! {
    /// Change of a command graph after its creation.
    GraphChangeKind {
        /// It was finalized: it can be executed, and no more commands can be added.
        Finalized = "finalized",
        /// Parameters of its commands were replaced.
        Updated = "updated",
        /// The runtime released it.
        Released = "released",
    } else Other
}

kinds! {
    /// Direction of a native handle.
    HandleDirection {
        /// Imported from the native API into SYCL (`make_queue`, `make_buffer`, …).
        Enters = "enters",
        /// Exported from SYCL (`get_native`).
        Leaves = "leaves",
    } else Other
}

kinds! {
    /// Owner that must release a native handle imported into SYCL.
    Ownership {
        /// The program keeps ownership.
        Keep = "keep",
        /// Ownership was transferred to SYCL.
        Transfer = "transfer",
    } else Other
}

kinds! {
    /// Topic of a fact about the process.
    FactKind {
        /// An environment variable that configures SYCL.
        Environment = "environment",
        /// A version of a runtime, driver or library.
        Version = "version",
        /// A setting of the recording.
        Setting = "setting",
        /// Cost of recording one notification on the thread that sends it, see [`Cost`](super::Cost).
        Cost = "cost",
    } else Other
}

kinds! {
    /// State of the recorded text of a source file.
    SourceState {
        /// The whole text was recorded.
        Whole = "whole",
        /// Not recorded: the file is too large.
        TooLarge = "too_large",
        /// Not recorded: the file can't be read.
        Unreadable = "unreadable",
    } else Other
}

kinds! {
    /// Position of a point in its flow.
    FlowStep {
        /// The first point; it ends an earlier flow with the same identity.
        Start = "start",
        /// A point in the middle.
        Step = "step",
        /// The last point.
        End = "end",
    } else Other
}

kinds! {
    /// Rule that binds a flow's point to a slice.
    FlowBinding {
        /// The innermost slice that is open at the time of the point.
        Enclosing = "enclosing",
        /// The first slice that starts at that time or later.
        Next = "next",
        /// The latest preceding slice or instant in event order.
        Latest = "latest",
        /// The slice that ended last in event order.
        Ended = "ended",
    } else Other
}

kinds! {
    /// Owner of the code in a stack frame.
    FrameKind {
        /// The program, or one of the user's libraries.
        Program = "program",
        /// The user's Python code.
        Python = "python",
        /// An installed Python package, or a library that it contains.
        Package = "package",
        /// The SYCL runtime, its adapters and its drivers.
        Runtime = "runtime",
        /// C and C++ standard libraries.
        System = "system",
        /// The Python interpreter.
        Interpreter = "interpreter",
        /// Replaces surrounding frames that were not recorded.
        Cut = "cut",
    } else Other
}

kinds! {
    /// Order of a queue.
    QueueOrder {
        /// Commands run one after the other.
        InOrder = "in_order",
        /// Commands run as soon as their dependences allow.
        OutOfOrder = "out_of_order",
    } else Other
}

impl FrameKind {
    /// True if the code is the user's.
    pub fn is_users(self) -> bool {
        matches!(self, Self::Program | Self::Python)
    }
}

impl NodeKind {
    /// True if it gives a device work, unlike barriers, advice and the runtime's own steps.
    pub fn is_device_work(self) -> bool {
        matches!(self, Self::Kernel | Self::Copy | Self::Fill | Self::CommandGraph)
    }

    /// Returns the category of executions of this kind.
    pub fn category(self) -> Category {
        match self {
            Self::Kernel => Category::Kernel,
            Self::Copy | Self::Map | Self::Unmap | Self::Prefetch => Category::Copy,
            Self::Fill => Category::Fill,
            _ => Category::Command,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for kind in NodeKind::ALL {
            assert_eq!(NodeKind::from_text(kind.as_str()), *kind);
            let json = serde_json::to_string(kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.as_str()));
            assert_eq!(serde_json::from_str::<NodeKind>(&json).unwrap(), *kind);
        }
        assert_eq!(Category::from_text("from the future"), Category::Other);
    }
}
