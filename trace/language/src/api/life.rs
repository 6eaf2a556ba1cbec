//! The life of a command, and its dependences.

use serde::{Deserialize, Serialize};

use super::SliceRef;
use crate::event::EdgeReason;

/// The life of a slice's command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Number of the node.
    pub node: u64,
    /// Kernel or command name.
    pub name: String,
    /// Phases, first to last; unknown ones are left out.
    pub phases: Vec<Phase>,
    /// The wait of the host that it ended, if there is one: the first wait for it, or for its queue.
    pub wait: Option<SliceRef>,
    /// Number of commands with the same name and kind in the medians. In a long run they are an even sample.
    pub samples: u32,
    /// Number of commands with the same name and kind.
    pub same: u64,
}

/// A phase of a command's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Kind of the phase.
    pub kind: PhaseKind,
    /// Start of the phase, in nanoseconds since the trace's start.
    pub from_ns: u64,
    /// End of the phase, in nanoseconds since the trace's start.
    pub to_ns: u64,
    /// Median of the same phase, in ns, over the commands with the same name and kind that have it.
    pub median_ns: Option<u64>,
}

answer_words! {
    /// Phase of a command's life. Each starts where the previous one ends.
    PhaseKind {
        /// The host submits it.
        Submission = "submission",
        /// It waits for its dependences.
        Dependences = "dependences",
        /// Latency in the runtime and driver until it is handed to the device.
        HandOver = "hand_over",
        /// Latency of the device until it starts.
        Start = "start",
        /// It runs.
        Execution = "execution",
        /// Latency of the host until its wait returns.
        Return = "return",
    }
}

/// The dependences of a command, nearest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependences {
    /// Requested dependences.
    pub edges: Vec<Dependence>,
    /// Number of dependences that are not listed.
    pub more: u64,
}

/// A dependence between two commands that can be displayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependence {
    /// True if it precedes the command: the command waited for it.
    pub before: bool,
    /// Distance in dependences, from 1.
    pub hop: u32,
    /// Predecessor: its execution, else its submission.
    pub from: SliceRef,
    /// Successor.
    pub to: SliceRef,
    /// Name of the predecessor.
    pub from_name: String,
    /// Name of the successor.
    pub to_name: String,
    /// Reason of the dependence.
    pub reason: EdgeReason,
    /// Access mode, empty if not caused by an accessor.
    pub access_mode: String,
}
