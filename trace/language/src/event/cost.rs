//! Cost of recording for the program's threads.

use std::fmt;

/// Cost of a notification in the recorder's own code: the value of a [`Fact`](super::Fact) of the kind
/// [`Cost`](super::FactKind::Cost), whose name is that of a [`Notified`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// With code and data in the processor's caches.
    pub least_ns: u64,
    /// With none of them there.
    pub most_ns: u64,
}

impl Cost {
    /// The value that a file's text stands for.
    pub fn from_text(text: &str) -> Option<Self> {
        let (least, most) = text.strip_suffix(" ns")?.split_once(" to ")?;
        let cost = Self { least_ns: least.parse().ok()?, most_ns: most.parse().ok()? };
        (cost.least_ns <= cost.most_ns).then_some(cost)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least_ns, most_ns } = self;
        write!(f, "{least_ns} to {most_ns} ns")
    }
}

words! {
    /// Notifications whose cost a recorder measures; words are the names of the facts that say it.
    Notified {
        /// A node of the task graph, without what its metadata adds.
        Node = "node",
        /// A submission begins.
        SubmissionBegins = "submission begins",
        /// A submission ends.
        SubmissionEnds = "submission ends",
        /// The runtime signals a command's event.
        Signal = "signal",
        /// A call with five arguments begins.
        CallBegins = "call begins",
        /// The same call has returned.
        CallEnds = "call ends",
        /// A wait begins, with a look at the stack.
        WaitBegins = "wait begins",
        /// A wait ends.
        WaitEnds = "wait ends",
    }
}
