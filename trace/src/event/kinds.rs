//! The closed sets of the vocabulary, each with the one text that files, wire and page use for it.

use serde::{Deserialize, Serialize};

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

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+ Self::$default];

            /// The text that files use.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::$default => "other",
                }
            }

            /// The value that a file's text stands for; the default for any other text.
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
    /// What a track shows.
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
    } else Other
}

kinds! {
    /// What a node of the task graph does.
    NodeKind {
        /// A kernel.
        Kernel = "kernel",
        /// A copy between memory objects or pointers.
        Copy = "copy",
        /// A fill or memset.
        Fill = "fill",
        /// Memory for a buffer is allocated.
        Allocation = "allocation",
        /// A sub-buffer is made.
        SubBuffer = "sub_buffer",
        /// A buffer's memory is released.
        Deallocation = "deallocation",
        /// A buffer is mapped for the host.
        Map = "map",
        /// A buffer is unmapped.
        Unmap = "unmap",
        /// A host accessor locks a buffer.
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
    /// Why an edge exists.
    EdgeReason {
        /// An accessor on a buffer.
        Accessor = "accessor",
        /// An event that the command depends on (`depends_on`, wait lists).
        Event = "event",
        /// The order of an in-order queue.
        InOrder = "in_order",
        /// A host task.
        HostTask = "host_task",
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

impl NodeKind {
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
