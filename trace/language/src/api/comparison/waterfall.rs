//! Where the difference of two runs' times comes from.

use serde::{Deserialize, Serialize};

use crate::api::LocationInfo;

/// A part of the time of both runs: of what decided how long they took, the share of one thing. The parts of a side add
/// up to its time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaterfallPart {
    /// Kind of the part.
    pub kind: PartKind,
    /// Kernel or command, call, wait or thread.
    pub name: String,
    /// Time before.
    pub a_ns: i64,
    /// Time now.
    pub b_ns: i64,
    /// Of a call: what all calls of its name took before, on the critical path or not; else 0.
    #[serde(default)]
    pub a_total_ns: u64,
    /// The same now.
    #[serde(default)]
    pub b_total_ns: u64,
    /// Steps of the critical path that it consists of before.
    pub a_count: u64,
    /// The same now.
    pub b_count: u64,
    /// Row of the comparison, for commands and their submissions.
    #[serde(default)]
    pub row: Option<u32>,
    /// Source code.
    #[serde(default)]
    pub location: Option<LocationInfo>,
    /// Numbers of some commands before, the longest first.
    #[serde(default)]
    pub a_nodes: Vec<u64>,
    /// The same now.
    #[serde(default)]
    pub b_nodes: Vec<u64>,
}

impl WaterfallPart {
    /// Returns the change of its time, in ns.
    pub fn change_ns(&self) -> i64 {
        self.b_ns - self.a_ns
    }
}

answer_words! {
    /// Kind of a part of a run's time.
    #[derive(Default)]
    PartKind {
        /// A kernel on its device.
        Kernel = "kernel",
        /// A copy.
        Copy = "copy",
        /// Another command on its device, or a host task.
        Command = "command",
        /// The host submits a command.
        Submission = "submission",
        /// A call of the runtime.
        Call = "call",
        /// Device code is built.
        Build = "build",
        /// The host waits, as far as what it waits for does not explain it.
        Wait = "wait",
        /// The host's own work, of which the recording says nothing.
        Host = "host",
        /// Before the first event.
        Start = "start",
        /// After the last step of the critical path: nothing that the recording tells of keeps the run going.
        End = "end",
        /// Neither host nor device: the way of a command through runtime and driver, and devices that were busy with others.
        #[default]
        Delay = "delay",
    }
}

impl PartKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Copy => "copy",
            Self::Command => "command",
            Self::Submission => "submission",
            Self::Call => "call",
            Self::Build => "build",
            Self::Wait => "wait",
            Self::Host => "host",
            Self::Start => "start",
            Self::End => "end",
            Self::Delay => "delay",
        }
    }
}
