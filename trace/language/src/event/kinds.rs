//! The closed sets of the vocabulary, each with its text in files, on the wire and on the page.

use serde::{Deserialize, Serialize};

use crate::words::Word;

/// A closed set of words with a value for all others.
pub trait Kind: Word {
    /// The value of a file's text.
    fn of_text(text: &str) -> Self;
}

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ } else $default:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+
            /// None of the others.
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
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+ Self::$default];

            /// The text in files.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::$default => "other",
                }
            }

            /// The value of a file's text; the default for any other text.
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
        /// The recorded process: the group of its threads.
        Process = "process",
        /// A thread of the host.
        Thread = "thread",
        /// A device: the group of its queues.
        Device = "device",
        /// A queue: executions on the device.
        Queue = "queue",
        /// A counter.
        Counter = "counter",
        /// Events of one XPTI stream: native calls of a thread, a program's own tracepoints.
        Stream = "stream",
    } else Other
}

kinds! {
    /// Coarse class of a slice or instant; the page colours by it.
    Category {
        /// A kernel's execution on the device.
        Kernel = "kernel",
        /// A copy's execution.
        Copy = "copy",
        /// A fill's execution.
        Fill = "fill",
        /// Another command's execution.
        Command = "command",
        /// Host interval in which a command is submitted (`task_begin` … `task_end`).
        Submission = "submission",
        /// The host waits (`wait_begin` … `wait_end`).
        Wait = "wait",
        /// A call of the Unified Runtime.
        Call = "ur",
        /// Memory is allocated or released.
        Memory = "memory",
        /// The runtime signalled a command's event.
        Signal = "signal",
        /// A diagnostic message: an exception or a runtime's complaint.
        Diagnostic = "diagnostic",
        /// The runtime waits at a barrier of its own (`barrier_begin` … `barrier_end`).
        Barrier = "barrier",
        /// A call of the native API below the Unified Runtime: Level Zero, CUDA.
        Native = "native",
        /// A tracepoint of the program itself.
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
        /// Lock of a buffer by a host accessor.
        HostAccessor = "host_accessor",
        /// A host task.
        HostTask = "host_task",
        /// A barrier.
        Barrier = "barrier",
        /// USM prefetch.
        Prefetch = "prefetch",
        /// USM advice.
        Advise = "advise",
        /// A command graph's execution.
        CommandGraph = "command_graph",
        /// A place-holder for an event from elsewhere.
        Virtual = "virtual",
    } else Other
}

kinds! {
    /// Reason of an edge.
    EdgeReason {
        /// An accessor on a buffer.
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
    /// True for USM, which a program accesses by its address.
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
        /// Another tool in the program consumed the driver's data about it.
        Taken = "taken",
        /// It failed.
        Failed = "failed",
        /// It gave its device no work: a barrier, advice.
        NoWork = "no_work",
    } else Other
}

impl NoTime {
    /// The reason, as text that follows "none: " and "of each of them: ".
    pub fn words(self) -> &'static str {
        match self {
            Self::Unfinished => "it had not finished when the program ended",
            Self::Unprofiled => "its queue has no profiling",
            Self::Device => "its device reports no usable times",
            Self::NoEvent => "it was submitted without an event that could be asked",
            Self::Unread => "its event could no longer be asked when the program ended",
            Self::Undelivered => "its times had not been delivered when the program was killed",
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
        /// It can be executed, and no more commands can be appended.
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
        /// From the native API into SYCL (`make_queue`, `make_buffer`, …).
        Enters = "enters",
        /// Out of SYCL (`get_native`).
        Leaves = "leaves",
    } else Other
}

kinds! {
    /// Owner of a native handle that entered SYCL, who must release it.
    Ownership {
        /// The program keeps it and releases it.
        Keep = "keep",
        /// Ownership moved to SYCL, which releases it.
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
        /// Cost of recording a notification for the thread that sends it, see [`Cost`](super::Cost).
        Cost = "cost",
    } else Other
}

kinds! {
    /// Recorded part of a source file.
    SourceState {
        /// The whole text.
        Whole = "whole",
        /// Nothing: it is larger than the recorder keeps.
        TooLarge = "too_large",
        /// Nothing: it can't be read.
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
    /// Rule for the slice of a flow's point.
    FlowBinding {
        /// The innermost slice that is open at its time.
        Enclosing = "enclosing",
        /// The first slice that begins at its time or later.
        Next = "next",
        /// The slice or instant that came last before it in the order of events.
        Latest = "latest",
    } else Other
}

kinds! {
    /// Owner of the code of a stack's frame.
    FrameKind {
        /// The program, or a library of the user's.
        Program = "program",
        /// Python code of the user's.
        Python = "python",
        /// An installed package: Python, or a library that it has brought.
        Package = "package",
        /// The SYCL runtime, its adapters and drivers.
        Runtime = "runtime",
        /// Libraries of C and C++.
        System = "system",
        /// The interpreter of Python.
        Interpreter = "interpreter",
        /// In place of the frames around, which were not recorded.
        Cut = "cut",
    } else Other
}

kinds! {
    /// Order of a queue.
    QueueOrder {
        /// Commands run one after the other.
        InOrder = "in_order",
        /// Commands run as their dependences allow.
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
    /// True if it gives a device work: barriers, advice and the runtime's own steps don't.
    pub fn is_device_work(self) -> bool {
        matches!(self, Self::Kernel | Self::Copy | Self::Fill | Self::CommandGraph)
    }

    /// The category of this kind's executions.
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
