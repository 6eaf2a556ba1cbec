//! The life of a command, and the commands around it.

use serde::{Deserialize, Serialize};

use super::SliceRef;
use crate::event::EdgeReason;

/// The life of the command that a slice belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Number of the node.
    pub node: u64,
    /// Kernel or command name.
    pub name: String,
    /// Phases, first to last; unknown ones are left out.
    pub phases: Vec<Phase>,
    /// The host's wait that ended because of it, if there is one: the first that waited for it, or for its queue.
    pub wait: Option<SliceRef>,
    /// Commands of the same name and kind that the medians are of. A long run's are every so many, evenly.
    pub samples: u32,
    /// Commands of the same name and kind.
    pub same: u64,
}

/// A part of a command's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Kind of the phase.
    pub kind: PhaseKind,
    /// Begin.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// Median of the same phase, in ns, over the commands of the same name and kind that have it.
    pub median_ns: Option<u64>,
}

answer_words! {
    /// Phase of a command's life. Each begins where the one before it ends.
    PhaseKind {
        /// The host submits it.
        Submission = "submission",
        /// It waits for what it depends on.
        Dependences = "dependences",
        /// Runtime and driver take their time until it is handed to the device.
        HandOver = "hand_over",
        /// The device takes its time until it starts.
        Start = "start",
        /// It runs.
        Execution = "execution",
        /// The host takes its time until its wait returns.
        Return = "return",
    }
}

/// The dependences around a command, nearest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependences {
    /// Requested dependences.
    pub edges: Vec<Dependence>,
    /// Number of others.
    pub more: u64,
}

/// A dependence between two commands that can be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependence {
    /// True if it lies before the command: the command waited for it.
    pub before: bool,
    /// Distance in dependences, from 1.
    pub hop: u32,
    /// Predecessor: its execution, else its submission.
    pub from: SliceRef,
    /// Successor.
    pub to: SliceRef,
    /// Name of what must finish.
    pub from_name: String,
    /// Name of what must wait.
    pub to_name: String,
    /// Why.
    pub reason: EdgeReason,
    /// Access mode, empty if not by an accessor.
    pub access_mode: String,
}
