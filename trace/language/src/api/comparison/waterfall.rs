//! Breakdown of the difference between two runs' times.

use serde::{Deserialize, Serialize};

use crate::api::LocationInfo;

/// A part of the time of both runs, from their critical paths. The parts of a side add up to its time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaterfallPart {
    /// Kind of the part.
    pub kind: PartKind,
    /// Name of the kernel or command, call, wait or thread.
    pub name: String,
    /// Time in the baseline.
    pub a_ns: i64,
    /// Time in the candidate.
    pub b_ns: i64,
    /// For a call: total time of all calls with its name in the baseline, on the critical path or not; else 0.
    #[serde(default)]
    pub a_total_ns: u64,
    /// The same in the candidate.
    #[serde(default)]
    pub b_total_ns: u64,
    /// Number of its steps on the critical path in the baseline.
    pub a_count: u64,
    /// The same in the candidate.
    pub b_count: u64,
    /// Row of the comparison, for commands and their submissions.
    #[serde(default)]
    pub row: Option<u32>,
    /// Source code.
    #[serde(default)]
    pub location: Option<LocationInfo>,
    /// Numbers of some commands in the baseline, longest first.
    #[serde(default)]
    pub a_nodes: Vec<u64>,
    /// The same in the candidate.
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
        /// Waits of the host, without the parts that the awaited commands explain.
        Wait = "wait",
        /// The host's own, unrecorded work.
        Host = "host",
        /// Before the first event.
        Start = "start",
        /// After the last step of the critical path: no recorded activity prolongs the run.
        End = "end",
        /// Neither host nor device: latency in the runtime and driver, and devices that were busy with other commands.
        #[default]
        Delay = "delay",
    }
}

impl PartKind {
    /// Returns its description.
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
