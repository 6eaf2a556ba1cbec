//! Cost of recording for the program's threads.

use std::fmt;

/// Cost of a notification in the recorder's own code: the value of a [`Fact`](super::Fact) of the kind
/// [`Cost`](super::FactKind::Cost), whose name is that of a [`Notified`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// With code and data in the processor's caches.
    pub least_ns: u64,
    /// With no code and data in the caches.
    pub most_ns: u64,
}

impl Cost {
    /// Returns the value in a file's text.
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
    /// Notifications whose cost a recorder measures; words are the names of the corresponding facts.
    Notified {
        /// A node of the task graph, without the cost of its metadata.
        Node = "node",
        /// Start of a submission.
        SubmissionBegins = "submission begins",
        /// End of a submission.
        SubmissionEnds = "submission ends",
        /// The runtime signals a command's event.
        Signal = "signal",
        /// Start of a call with five arguments.
        CallBegins = "call begins",
        /// Return of the same call.
        CallEnds = "call ends",
        /// Start of a wait, including the unwinding of the stack.
        WaitBegins = "wait begins",
        /// End of a wait.
        WaitEnds = "wait ends",
    }
}
